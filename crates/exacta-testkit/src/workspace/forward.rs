//! Passing operations of the port on.

/// Inside an `impl Workspace`: each named operation is carried out by the port in the field.
/// The types of the port must be in scope.
#[macro_export]
macro_rules! forward_to {
    ($field:tt: $($operation:ident)+) => { $($crate::forward_to!(@$operation $field);)+ };
    (@lock $field:tt) => {
        fn lock(&self) -> Result<Lock, PortError> {
            self.$field.lock()
        }
    };
    (@turn $field:tt) => {
        fn turn(&self) -> Result<Lock, PortError> {
            self.$field.turn()
        }
    };
    (@see $field:tt) => {
        fn see(&self, at: &Spot) -> Result<Sight, PortError> {
            self.$field.see(at)
        }
    };
    (@see_all $field:tt) => {
        fn see_all(&self, spots: &[Spot]) -> Vec<Result<Sight, PortError>> {
            self.$field.see_all(spots)
        }
    };
    (@stamp $field:tt) => {
        fn stamp(&self, at: &Spot) -> Result<Option<Stamp>, PortError> {
            self.$field.stamp(at)
        }
    };
    (@read $field:tt) => {
        fn read(&self, at: &Spot) -> Result<Vec<u8>, PortError> {
            self.$field.read(at)
        }
    };
    (@look_folder $field:tt) => {
        fn look_folder(&self, at: &Spot) -> Result<Option<FolderSeen>, PortError> {
            self.$field.look_folder(at)
        }
    };
    (@inherited_from $field:tt) => {
        fn inherited_from(&self, folder: &Spot) -> Result<Metadata, PortError> {
            self.$field.inherited_from(folder)
        }
    };
    (@list $field:tt) => {
        fn list(&self, folder: &Spot) -> Result<Vec<String>, PortError> {
            self.$field.list(folder)
        }
    };
    (@stage $field:tt) => {
        fn stage(
            &self,
            at: &Spot,
            bytes: &[u8],
            mode: FileMode,
            metadata: &Metadata,
        ) -> Result<u64, PortError> {
            self.$field.stage(at, bytes, mode, metadata)
        }
    };
    (@stage_folder $field:tt) => {
        fn stage_folder(&self, at: &Spot, metadata: &Metadata) -> Result<u64, PortError> {
            self.$field.stage_folder(at, metadata)
        }
    };
    (@make_private $field:tt) => {
        fn make_private(&self, at: &Spot) -> Result<(), PortError> {
            self.$field.make_private(at)
        }
    };
    (@swap $field:tt) => {
        fn swap(&self, one: &Spot, other: &Spot) -> Result<(), PortError> {
            self.$field.swap(one, other)
        }
    };
    (@place $field:tt) => {
        fn place(&self, from: &Spot, to: &Spot) -> Result<(), PortError> {
            self.$field.place(from, to)
        }
    };
    (@append $field:tt) => {
        fn append(&self, at: &Spot, bytes: &[u8]) -> Result<(), PortError> {
            self.$field.append(at, bytes)
        }
    };
    (@remove $field:tt) => {
        fn remove(&self, at: &Spot) -> Result<(), PortError> {
            self.$field.remove(at)
        }
    };
    (@remove_folder $field:tt) => {
        fn remove_folder(&self, at: &Spot) -> Result<(), PortError> {
            self.$field.remove_folder(at)
        }
    };
    (@barrier $field:tt) => {
        fn barrier(&self, scope: &Scope) -> Result<(), PortError> {
            self.$field.barrier(scope)
        }
    };
    (@view $field:tt) => {
        fn view(&self, into: &::std::path::Path) -> Result<Box<dyn Workspace>, PortError> {
            self.$field.view(into)
        }
    };
    (@space $field:tt) => {
        fn space(&self) -> Result<Space, PortError> {
            self.$field.space()
        }
    };
}
