//! Words for what a change does that a person should look at.

use core::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::vocabulary::words;

words! {
    /// How a guard was loosened.
    GuardLoss {
        /// A branch that refused or left early is gone.
        Removed = "removed",
        /// It leaves on another condition.
        Condition = "condition",
        /// A new way out stands before it, or is for somebody in particular.
        PassedBy = "passed_by",
        /// A value that guards compare with is another one.
        Limit = "limit",
        /// A call that checked or cleaned something is gone or is asked something else.
        Check = "check",
        /// A function that says yes or no works it out in another way.
        Verdict = "verdict",
        /// What was worked out is now always the same.
        Constant = "constant",
        /// An error is caught and nothing comes of it.
        Swallowed = "swallowed",
        /// A mark on a function or class is gone.
        Mark = "mark",
        /// A yes became a no, or a no a yes.
        Switch = "switch",
        /// Two values are compared or put together by another sign, or no longer.
        Bound = "bound",
        /// A name that locks, closes, empties, limits or draws lots is gone.
        Upkeep = "upkeep",
        /// An error is no longer raised.
        Error = "error",
        /// What holds when nobody says otherwise is another value.
        Default = "default",
        /// A number is kept in a smaller type.
        Narrowed = "narrowed",
        /// A pattern that decides is another one.
        Pattern = "pattern",
        /// A check stands under a condition that it did not stand under.
        Around = "around",
        /// A name that existing code calls is defined anew.
        Shadowed = "shadowed",
        /// What is added to a value that is kept, or taken from it, is another value.
        Sum = "sum",
        /// A function that stays refuses what it took.
        Refuses = "refuses",
        /// Something that a function called or set is not called or set any more.
        Dropped = "dropped",
        /// More of a value is shown, answered or written down.
        Exposed = "exposed",
        /// Only a part of a value is still looked at.
        Part = "part",
        /// Another value that was there already stands in its place.
        Exchanged = "exchanged",
        /// What came before something comes behind it.
        Order = "order",
    }
    /// How code reaches out of itself.
    Reach {
        /// Starts a program.
        RunsProgram = "runs_program",
        /// Makes code of text.
        EvaluatesText = "evaluates_text",
        /// Talks to other machines, or listens to them.
        Connects = "connects",
        /// Makes objects of bytes that say what they are.
        Deserialises = "deserialises",
        /// Deletes or overwrites files or stored data.
        Destroys = "destroys",
        /// Reads or sets what stands around the process.
        ReadsEnvironment = "reads_environment",
        /// Changes who may do what.
        ChangesPermissions = "changes_permissions",
        /// Loads code that is named while the program runs.
        LoadsCode = "loads_code",
        /// Trusts memory to the caller's arithmetic.
        Memory = "memory",
        /// Decides whom the program believes.
        Trust = "trust",
        /// Calls what cannot be told by reading.
        Indirect = "indirect",
        /// Names a place outside of the project.
        Outside = "outside",
        /// Puts other code in the place of known code.
        ReplacesCode = "replaces_code",
        /// Is written in a language that is not read.
        Unread = "unread",
    }
    /// What a text that values are put into is for.
    Sink {
        /// A database reads it.
        Query = "query",
        /// A shell reads it.
        Command = "command",
        /// It names a file.
        Path = "path",
        /// A browser shows it.
        Page = "page",
        /// It names a place on a network.
        Address = "address",
    }
    /// What happens to stored data.
    DataChange {
        /// A migration that may have run already was edited or deleted.
        Migration = "migration",
        /// Tables or columns are made, altered or dropped.
        Schema = "schema",
        /// Somebody may do more, or less.
        Grant = "grant",
    }
}
