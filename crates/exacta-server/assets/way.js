// The way between the plain address, which is all that agents know, and the room's own name,
// which only this browser knows. What a browser stores belongs to one port; cookies do not.
"use strict";

const at = document.body.dataset;
const port = location.port ? `:${location.port}` : "";
const KEPT = "exacta:room";

// A name counts only if it is the one that this server has now.
const isRoom = async (name) => {
  if (!/^([a-z0-9]{24}\.){2}localhost$/.test(name)) return false;
  const hash = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(`exacta/room/v1\n${name}`));
  return [...new Uint8Array(hash)].map((byte) => byte.toString(16).padStart(2, "0")).join("") === at.room;
};
const leave = (name, path) => location.replace(`http://${name}${port}${path}`);

const acts = {
  // After signing in: by the plain address, so that it learns the name.
  "signed-in": () => location.replace(at.next),
  // The name comes behind the `#`, which no request carries.
  remember: async () => {
    const name = location.hash.slice(1);
    history.replaceState(null, "", location.pathname);
    if (!(await isRoom(name))) return;
    localStorage.setItem(KEPT, name);
    leave(name, "/open");
  },
  open: async () => {
    const name = localStorage.getItem(KEPT);
    if (name !== null && await isRoom(name)) leave(name, at.path);
  },
};
acts[at.kind]?.();
