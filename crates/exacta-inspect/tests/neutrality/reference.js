// Which pairs of texts, read as JSON, are not the same program for another parser of
// JavaScript. Names of locals may differ: they are numbered, by eslint-scope where the folder
// that is handed over has it, else by the function they are in.
const folder = process.argv[2];
const acorn = require(folder ? folder + "/node_modules/acorn" : "internal/deps/acorn/acorn/dist/acorn");
let scopes = null;
try {
  scopes = require(folder + "/node_modules/eslint-scope");
} catch {
  // Without it, names are numbered by where they first stand in their outermost function.
}

const parse = (text) => {
  for (const sourceType of ["module", "script"]) {
    const options = { ecmaVersion: 2024, sourceType, ranges: true, allowHashBang: true, allowReturnOutsideFunction: true };
    try {
      return [acorn.parse(text, options), sourceType];
    } catch {
      continue;
    }
  }
  return null;
};

// Whether a value takes the name of what it is put into.
const takesName = (node) =>
  node && (/Function|Class/.test(node.type) || (node.type === "ParenthesizedExpression" && takesName(node.expression)));

// Numbers what is declared with `var`, `let` or `const` inside a function.
const numbered = ([tree, sourceType]) => {
  if (!scopes) return;
  const manager = scopes.analyze(tree, { ecmaVersion: 2022, sourceType });
  let count = 0;
  for (const scope of manager.scopes) {
    if (["global", "module"].includes(scope.variableScope.type) || scope.dynamic) continue;
    for (const variable of scope.variables) {
      const local = variable.defs.length > 0 && variable.defs.every((one) => one.type === "Variable");
      const named =
        variable.defs.some((one) => takesName(one.node.init)) ||
        variable.references.some((one) => takesName(one.writeExpr));
      if (!local || named) continue;
      count += 1;
      const places = new Set([...variable.identifiers, ...variable.references.map((one) => one.identifier)]);
      for (const place of places) place.name = `local ${count}`;
    }
  }
};

const strip = (key, value) => {
  if (["start", "end", "range", "raw", "directive"].includes(key)) return undefined;
  return typeof value === "bigint" ? String(value) : value;
};
// Text of what is not a string counts: a number, a regular expression, a directive.
const written = (node) => {
  if (!node || typeof node !== "object") return;
  if (Array.isArray(node)) return node.forEach(written);
  if (node.type === "Literal" && typeof node.value !== "string") node.text = node.raw;
  if (node.directive) node.order = node.directive;
  Object.values(node).forEach(written);
};

const tree = (text) => {
  const parsed = parse(text);
  if (!parsed) return null;
  numbered(parsed);
  written(parsed[0]);
  return parsed[0];
};

// Without numbers: equal but for names inside functions, of which each stands for one other.
const alike = (one, other, there, back, inside) => {
  if (one === null || other === null || typeof one !== "object" || typeof other !== "object") return one === other;
  if (Array.isArray(one)) {
    return Array.isArray(other) && one.length === other.length && one.every((part, at) => alike(part, other[at], there, back, inside));
  }
  if (one.type === "Identifier" && other.type === "Identifier" && inside) {
    const known = there.get(one.name) ?? other.name;
    const mine = back.get(other.name) ?? one.name;
    there.set(one.name, other.name);
    back.set(other.name, one.name);
    return known === other.name && mine === one.name;
  }
  const begins = !inside && /Function/.test(one.type ?? "");
  const [maps, names] = begins ? [new Map(), new Map()] : [there, back];
  const keys = Object.keys(one);
  return (
    keys.length === Object.keys(other).length &&
    keys.every((key) => alike(one[key], other[key], maps, names, inside || begins))
  );
};

let text = "";
process.stdin.on("data", (part) => (text += part));
process.stdin.on("end", () => {
  const out = [];
  JSON.parse(text).forEach(([before, after], index) => {
    const plain = (text) => {
      const made = tree(text);
      return made && JSON.parse(JSON.stringify(made, strip));
    };
    const [old, now] = [plain(before), plain(after)];
    if (old === null) return;
    const equal = scopes ? JSON.stringify(old) === JSON.stringify(now) : alike(old, now, new Map(), new Map(), false);
    if (!equal) out.push(index);
  });
  console.log(JSON.stringify(out));
});
