//! What the pass notes, on small pieces of code.
