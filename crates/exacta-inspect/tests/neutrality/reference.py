"""Which pairs of texts, read as JSON, are not the same program for the compiler of Python.

Compared is the bytecode without lines. Names of locals may differ if each stands for one
other in its function: parameters, globals, attributes and whatever is looked up stay.
"""

import dis
import json
import sys
import warnings

warnings.simplefilter("ignore")
CELLS = ("LOAD_CLOSURE", "MAKE_CELL")


def parameters(code):
    count = code.co_argcount + code.co_kwonlyargcount
    count += bool(code.co_flags & 4) + bool(code.co_flags & 8)
    return list(code.co_varnames[:count])


def steps(code):
    """Instructions with what they mean; runs that the compiler sorts by name are sets."""
    out, run = [], None
    for one in dis.get_instructions(code):
        if one.opname in CELLS:
            if run is None or run[0] != one.opname:
                run = (one.opname, [])
                out.append(("run", run[0], run[1]))
            run[1].append(one.argval)
            continue
        run = None
        local = one.opcode in dis.haslocal or one.opcode in dis.hasfree
        if hasattr(one.argval, "co_code"):
            out.append(("code", one.opname, one.argval))
        elif local:
            out.append(("name", one.opname, one.argval))
        else:
            value = (type(one.argval).__name__, repr(one.argval))
            out.append(("other", one.opname, value))
    return out


def stands_for(known, back, old, new):
    return known.setdefault(old, new) == new and back.setdefault(new, old) == old


def same(old, new, known, back):
    plain = ("co_argcount", "co_kwonlyargcount", "co_posonlyargcount", "co_flags", "co_name",
             "co_names", "co_stacksize", "co_nlocals")
    if any(getattr(old, one) != getattr(new, one) for one in plain):
        return False
    if getattr(old, "co_exceptiontable", b"") != getattr(new, "co_exceptiontable", b""):
        return False
    if parameters(old) != parameters(new):
        return False
    shown = lambda code: [(type(c).__name__, repr(c)) for c in code.co_consts if not hasattr(c, "co_code")]
    if shown(old) != shown(new):
        return False
    # What comes from outside stands for the same outside; what is declared here is new.
    free = set(old.co_freevars)
    known = {name: known.get(name, name) for name in free}
    back = {there: here for here, there in known.items()}
    if set(known.values()) != set(new.co_freevars):
        return False
    for name in parameters(old):
        if not stands_for(known, back, name, name):
            return False
    one, other = steps(old), steps(new)
    if len(one) != len(other):
        return False
    later = []
    for mine, theirs in zip(one, other):
        if mine[:2] != theirs[:2]:
            return False
        if mine[0] == "name" and not stands_for(known, back, mine[2], theirs[2]):
            return False
        if mine[0] == "other" and mine[2] != theirs[2]:
            return False
        if mine[0] in ("code", "run"):
            later.append((mine, theirs))
    for mine, theirs in later:
        if mine[0] == "run":
            if {known.get(name, name) for name in mine[2]} != set(theirs[2]):
                return False
        elif not same(mine[2], theirs[2], known, back):
            return False
    return True


def compiled(text):
    return compile(text, "x", "exec", dont_inherit=True)


out = []
for index, (before, after) in enumerate(json.load(sys.stdin)):
    try:
        old = compiled(before)
    except (SyntaxError, ValueError):
        continue
    try:
        if not same(old, compiled(after), {}, {}):
            out.append(index)
    except (SyntaxError, ValueError):
        out.append(index)
print(json.dumps(out))
