//! What is a placeholder and what is everyday life.

use exacta_core::judge::facts::FactKind;
use exacta_core::model::path::RelPath;

use super::line::{Line, Replaced};
use super::placeholder::detect;
use super::side::Side;
use super::subject::Subject;

fn kind(path: &str, image: &[&str]) -> Option<FactKind> {
    replacing(path, image, 0)
}

/// The last line stands in the place of so many lines of code.
fn replacing(path: &str, image: &[&str], gone: usize) -> Option<FactKind> {
    let path = RelPath::parse(path).unwrap();
    let subject = Subject::new(&path);
    let mut found = Vec::new();
    let line = Line::of(&Side::plain(&subject, image), image.len() - 1).unwrap();
    let come = usize::from(!line.comment);
    detect(&subject, &Line { replaced: Replaced { gone, come }, ..line }, &mut found);
    found.pop().map(|found| found.kind)
}

#[test]
fn missing_work_is_found_under_every_disguise() {
    for (path, raw) in [
        ("a.py", "# TODO"),
        ("a.py", "# TODO: implement"),
        ("a.rs", "// TODO: implement the parser"),
        ("a.rs", "// todo implement this"),
        ("a.rs", "// implement this method"),
        ("a.rs", "// you should implement this method"),
        ("a.rs", "// implement this method when the parser is ready"),
        ("a.rs", "// still to implement this method"),
        ("a.rs", "// TODO need to implement this function properly"),
        ("a.rs", "// TO\u{200b}DO: check bounds"),
        ("a.rs", "// T0DO: check bounds"),
        ("a.rs", "// T\u{41e}D\u{41e} check bounds"),
        ("a.rs", "// ＴＯＤＯ"),
        ("a.js", "// FIXME: 1mplement"),
        ("a.js", "return null; // TODO"),
        ("a.js", "// TODO: add your logic here"),
        ("a.js", "// ... existing code ..."),
        ("a.js", "// ... rest of the code remains unchanged"),
        ("a.js", "/* rest of the file unchanged */"),
        ("a.js", "{/* ... existing code ... */}"),
        ("a.py", "# … rest of the function"),
        ("a.py", "# rest unchanged"),
        ("a.py", "# your code here"),
        ("a.rs", "    unimplemented!()"),
        ("a.rs", "    todo!(\"later\")"),
        ("a.py", "    raise NotImplementedError"),
        ("a.py", "    raise NotImplementedError(\"not implemented yet\")"),
        ("a.go", "\tpanic(\"not implemented\")"),
        ("a.js", "  throw new Error('Not implemented');"),
        ("a.java", "throw new UnsupportedOperationException(\"Not yet implemented\");"),
        ("a.py", "    pass  # …"),
        ("a.py", "    pass  # TODO"),
        ("a.py", "    pass  # implement later"),
        ("a.js", "// ... rest of the component ..."),
        ("a.jsx", "{/* ... other handlers here ... */}"),
        ("a.py", "# ... rest of the methods ..."),
        ("a.py", "# ... (remaining functions)"),
        ("a.py", "# code unchanged"),
        ("a.py", "# In a real implementation, this would call the provider"),
        ("a.go", "func pay() { panic(\"todo\") }"),
        ("a.go", "func pay() { panic(\"implement me\") }"),
        ("A.java", "// TODO Auto-generated method stub"),
        ("a.js", "// TODO: complete the implementation"),
        ("a.js", "// TODO: fill in"),
        ("a.js", "// function body goes on, rest of the code unchanged"),
        ("a.txt.erb", "(rest unchanged)"),
        ("a.py", "# The rest of the file is unchanged from before"),
        ("a.vue", "rest of the file remains unchanged"),
        ("a.html", "<p>Lorem ipsum dolor sit amet</p>"),
        ("a.md", "L\u{43e}rem 1psum dolor"),
    ] {
        let found = kind(path, &[raw]);
        assert!(matches!(found, Some(FactKind::PlaceholderAdded { .. })), "{raw}: {found:?}");
    }
    let body = kind("a.py", &["def f():", "    pass  # body"]);
    assert!(matches!(body, Some(FactKind::PlaceholderAdded { .. })));
    for (path, image) in [
        ("a.js", &["function f() {", "  // ..."][..]),
        ("a.py", &["class A:", "    # …"]),
        ("a.jsx", &["<div>", "  {/* ... */}"]),
        ("a.py", &["def pay(order):", "    pass"]),
        ("a.py", &["async def pay(order):", "    ..."]),
    ] {
        let found = replacing(path, image, 4);
        assert!(matches!(found, Some(FactKind::PlaceholderAdded { .. })), "{image:?}: {found:?}");
        assert_eq!(replacing(path, image, 0), None, "{image:?}: nothing went away");
    }
}

#[test]
fn notes_beside_finished_code_are_only_shown() {
    for raw in [
        "// TODO(#123): switch to the new API once it is stable",
        "# TODO: remove when Python 3.8 support is dropped",
        "// FIXME: this is quadratic for long inputs",
        "// TODO: fill the cache in the background",
        "// TODO: complete the list of MIME types",
        "// FIXME: a race can happen here",
    ] {
        let found = kind("a.rs", &[raw]);
        assert!(matches!(found, Some(FactKind::TodoNote { .. })), "{raw}: {found:?}");
    }
}

#[test]
fn everyday_lines_are_left_alone() {
    for (path, raw) in [
        ("a.rs", "let todo = TodoList::new();"),
        ("a.js", "const todos = await fetchTodos();"),
        ("a.js", "todo.done = true;"),
        ("a.py", "except KeyError: pass  # key was optional"),
        ("a.py", "    pass  # nothing to clean up"),
        ("a.py", "    pass  # the code below copes"),
        ("a.py", "# keep the rest of the buffer"),
        ("a.py", "# return code unchanged"),
        ("a.js", "// ... and then the lock is released"),
        ("a.js", "throw new Error(`todo not found`)"),
        ("examples/a.py", "# In a real application, this would be a database"),
        ("README.md", "- see the TODO list in the tracker"),
        ("a.rs", "// the rest of the input is skipped"),
        ("a.rs", "// order is unchanged"),
        ("a.py", "raise NotImplementedError(\"subclasses must define this\")"),
        ("a.rs", "/// Returns the rest of the file."),
        ("a.py", "phone = 'XXX-XXX-XXXX'"),
        ("a.rs", "assert!(text.contains(\"todo!()\"));"),
        ("a.ts", "placeholder=\"Search\""),
        ("a.css", "::placeholder { color: red }"),
        ("tests/a.py", "text = 'lorem ipsum dolor'"),
        ("a.py", "# implementation of the parser"),
        ("a.js", "status: 501, message: 'Not Implemented',"),
        ("a.py", "    override just the loader and keeping the rest unchanged.  It's"),
        ("a.py", "    rest unchanged.  It's discouraged to override this."),
        ("a.py", "# this swaps the loader and keeps the rest unchanged while it runs"),
        ("pyproject.toml", "    \"raise NotImplementedError\","),
        ("setup.cfg", "    raise NotImplementedError"),
        (".coveragerc", "    raise NotImplementedError()"),
        ("a.rs", "/// should implement this method. Other methods that match based on"),
        ("a.rs", "/// Implementors must implement this method."),
        ("a.py", "# subclasses should implement this method"),
    ] {
        assert_eq!(kind(path, &[raw]), None, "{raw}");
    }
    let idle = ["def f():", "    pass  # nothing to do"];
    assert_eq!(kind("a.py", &idle), None);
    let heirs = ["    @abstractmethod", "    def f(self):", "        raise NotImplementedError"];
    assert_eq!(kind("a.py", &heirs), None);
    let told = [
        "    def f(self):",
        "        \"\"\"Heirs do it.\"\"\"",
        "        raise NotImplementedError()",
    ];
    assert_eq!(kind("a.py", &told), None);
}
