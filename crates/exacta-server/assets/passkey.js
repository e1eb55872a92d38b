// Passkeys: signing in with one, adding one, and signing with it what is approved.
"use strict";

// Passkeys: the browser is asked what the server says, and the answer goes back as it is.
const b64 = (buffer) => btoa(String.fromCharCode(...new Uint8Array(buffer))).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
const unb64 = (text) => Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (c) => c.charCodeAt(0));
const post = async (path, body) => {
  const response = await fetch(path, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body), redirect: "error" });
  if (response.ok) return response.status === 204 ? null : response.json();
  const problem = await response.json().catch(() => ({}));
  throw new Error(problem.detail ?? "the server refused it");
};
async function passkeySigned(wanted) {
  const ask = await post("/passkeys/ask", wanted);
  const given = await navigator.credentials.get({ publicKey: {
    challenge: unb64(ask.challenge), rpId: ask.rp_id, userVerification: "required", timeout: 110_000,
    allowCredentials: ask.keys.map((id) => ({ type: "public-key", id: unb64(id) })),
  } });
  return {
    challenge: ask.challenge, id: b64(given.rawId), signature: b64(given.response.signature),
    authenticator_data: b64(given.response.authenticatorData), client_data: b64(given.response.clientDataJSON),
  };
}
const passkeysWork = () => Boolean(globalThis.PublicKeyCredential && navigator.credentials);
const passkeySaid = (words) => { const said = $("#passkey-said"); if (said) said.textContent = words; };

if ($("#passkey") && passkeysWork()) {
  $("#passkey").hidden = false;
  $("#passkey").addEventListener("click", async () => {
    try {
      const way = await post("/sign-in/passkey", await passkeySigned({ for: "sign_in" }));
      location.href = way?.to ?? "/signed-in";
    } catch (fault) { passkeySaid(`Not signed in: ${fault.message}`); }
  });
}

// A link that the door has just given to a passkey needs no other button.
if (location.hash === "#go" && $("input[name=link]")) {
  history.replaceState(null, "", location.pathname);
  $("input[name=link]").form.requestSubmit();
}

if ($("#new-passkey") && passkeysWork()) {
  const form = $("#new-passkey");
  form.hidden = false;
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    try {
      const ask = await post("/passkeys/ask", { for: "register" });
      const made = await navigator.credentials.create({ publicKey: {
        challenge: unb64(ask.challenge), rp: { id: ask.rp_id, name: "Exacta" }, attestation: "none", timeout: 110_000,
        user: { id: unb64(ask.user_id), name: ask.user, displayName: ask.user },
        pubKeyCredParams: [{ type: "public-key", alg: -7 }, { type: "public-key", alg: -8 }],
        authenticatorSelection: { residentKey: "preferred", userVerification: "required" },
        excludeCredentials: ask.keys.map((id) => ({ type: "public-key", id: unb64(id) })),
      } });
      const key = made.response.getPublicKey();
      if (!key) throw new Error("this kind of passkey is not taken");
      await post("/passkeys/register", {
        challenge: ask.challenge, id: b64(made.rawId), name: form.elements.name.value, public_key: b64(key),
        authenticator_data: b64(made.response.getAuthenticatorData()), client_data: b64(made.response.clientDataJSON),
      });
      location.reload();
    } catch (fault) { passkeySaid(`No passkey was added: ${fault.message}`); }
  });
}

// What somebody lets happen who signed in with a passkey, the passkey signs: this very form.
const SIGNED = ["approve", "selected", "parts", "undo", "redo", "allow", "happened", "not"];
if ($(".plan[data-passkey], .run") && passkeysWork()) {
  document.addEventListener("submit", async (event) => {
    const form = event.target, button = event.submitter, field = form.elements.passkey;
    if (event.defaultPrevented || !field || field.value || !SIGNED.includes(button?.value)) return;
    if ($(".plan") && !$(".plan[data-passkey]")) return;
    event.preventDefault();
    field.dataset.busy = "";
    try {
      const fields = [...new FormData(form, button)].map(([name, value]) => [name, String(value)]);
      field.value = JSON.stringify(await passkeySigned({ for: "act", to: new URL(form.action).pathname, fields }));
      // The first attempt was held back; this one is the same.
      dispatchEvent(new Event("pageshow"));
      form.requestSubmit(button);
    } catch (fault) {
      dispatchEvent(new Event("pageshow"));
      say(`Nothing was ${$(".plan") ? "approved" : "done"}: ${fault.message}`);
    }
    delete field.dataset.busy;
  });
}
