//! Which policy files are read, which are refused, and that nothing is ever skipped.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test may stop where it fails")]

mod rights;

use std::ffi::OsStr;
use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use exacta_core::judge::policy::{LayerName, Profile};
use exacta_core::model::code::Code;
use exacta_engine::policy::{Loaded, Owners, Places, PolicyError, Refusal, load};
use exacta_engine::workspace::{Options, Resolver, Root};
use rights::bound_by_permissions;
use rustix::fs::{CWD, FileType, Mode, mknodat};

/// A project and the two folders outside it, all below one temporary folder.
struct World {
    dir: tempfile::TempDir,
}

impl World {
    fn new() -> Self {
        let world = Self { dir: tempfile::tempdir().unwrap() };
        for folder in ["etc", "config", "project", "project/.exacta"] {
            fs::create_dir(world.at(folder)).unwrap();
            world.mode(folder, 0o755);
        }
        world
    }

    fn at(&self, name: &str) -> std::path::PathBuf {
        self.dir.path().join(name)
    }

    fn mode(&self, name: &str, mode: u32) {
        fs::set_permissions(self.at(name), Permissions::from_mode(mode)).unwrap();
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.at(name), text).unwrap();
        self.mode(name, 0o644);
    }

    fn places(&self) -> Places {
        let user = rustix::process::geteuid().as_raw();
        Places {
            system: self.at("etc"),
            operator: self.at("config"),
            owners: Owners { system: user, user },
            environment: None,
            noted: None,
        }
    }

    fn load_with(&self, places: &Places) -> Result<Loaded, PolicyError> {
        let mut outcomes = [Resolver::Kernel, Resolver::Walk].map(|resolver| {
            let options = Options { resolver: Some(resolver), ..Options::default() };
            load(&Root::open_with(self.at("project"), options).unwrap(), places)
        });
        let told = outcomes
            .each_ref()
            .map(|o| o.as_ref().map(|l| l.merged.clone()).map_err(ToString::to_string));
        assert_eq!(told[0], told[1], "both ways of resolving a path agree");
        std::mem::replace(&mut outcomes[0], Err(refused("", Refusal::Symlink)))
    }

    fn load(&self) -> Result<Loaded, PolicyError> {
        self.load_with(&self.places())
    }

    /// Why the file of that name is refused.
    fn refusal(&self, name: &str) -> Refusal {
        refusal(self.load(), &self.at(name))
    }
}

fn refused(path: &str, refusal: Refusal) -> PolicyError {
    PolicyError::Refused { path: path.into(), refusal }
}

fn refusal(outcome: Result<Loaded, PolicyError>, file: &Path) -> Refusal {
    match outcome {
        Err(PolicyError::Refused { path, refusal }) => {
            assert_eq!(path, file);
            refusal
        }
        other => panic!("not refused: {other:?}"),
    }
}

#[test]
fn nothing_there_is_the_built_in_policy() {
    let world = World::new();
    let loaded = world.load().unwrap();
    assert_eq!(loaded.merged.policy, exacta_core::judge::policy::Policy::default());
    assert_eq!(loaded.files, []);
    for folder in ["etc", "config", "project/.exacta"] {
        fs::remove_dir(world.at(folder)).unwrap();
    }
    assert_eq!(world.load().unwrap().files, []);
}

#[test]
fn three_layers_come_together() {
    let world = World::new();
    world.write("etc/policy.toml", "profile = 'balanced'\ntoken_budget = 9");
    world.write("config/policy.toml", "profile = 'conservative'\ntoken_budget = 10");
    world.write("project/.exacta/policy.toml", "profile = 'manual'");
    let loaded = world.load().unwrap();
    assert_eq!(loaded.merged.policy.profile, Profile::Manual);
    assert_eq!(loaded.merged.policy.token_budget, 9);
    assert_eq!(loaded.merged.ignored.len(), 1);
    let layers: Vec<_> = loaded.files.iter().map(|file| file.layer).collect();
    assert_eq!(layers, [LayerName::System, LayerName::Operator, LayerName::Project]);
    assert_eq!(loaded.files[2].path, Path::new(".exacta/policy.toml"));
}

#[test]
fn the_environment_lowers_caps_and_raises_none() {
    let world = World::new();
    world.write("config/policy.toml", "[caps]\nmax_files = 20\nmax_pages = 7");
    let under = |variables: &[(&str, &str)]| {
        let variables = variables.iter().map(|(name, value)| (name.into(), value.into()));
        world.load_with(&world.places().capped_by(variables))
    };
    let same = under(&[("EXACTA_LOG", "x"), ("HOME", "/")]).unwrap().merged;
    assert_eq!(same.policy, world.load().unwrap().merged.policy);

    let lower = [("EXACTA_MAX_FILES", "3"), ("EXACTA_MAX_COST_USD", "0.25")];
    let Loaded { merged, files, .. } = under(&lower).unwrap();
    let caps = merged.policy.caps;
    assert_eq!((caps.max_files, caps.max_pages, caps.max_cost_micro_usd), (3, 7, 250_000));
    assert_eq!(files.last().unwrap().layer, LayerName::Environment);
    assert_ne!(merged.policy.hash().unwrap(), same.policy.hash().unwrap());

    let higher = under(&[("EXACTA_MAX_FILES", "21")]).unwrap().merged;
    assert_eq!((higher.policy.caps.max_files, higher.ignored.len()), (20, 1));

    for (name, value) in [
        ("EXACTA_MAX_FILES", "many"),
        ("EXACTA_MAX_FILES", ""),
        ("EXACTA_MAX_FILES", "-1"),
        ("EXACTA_MAX_FILES", "3\nmax_pages = 9"),
        ("EXACTA_MAX_FILE", "3"),
        ("EXACTA_MAX_files", "3"),
        ("EXACTA_MAX_\u{202e}", "3"),
    ] {
        let error = under(&[(name, value)]).unwrap_err();
        assert!(matches!(error, PolicyError::Invalid { .. }), "{name}={value}: {error}");
    }
}

#[test]
fn folders_and_files_that_others_control_are_refused() {
    for (folder, file) in [("etc", "etc/policy.toml"), ("config", "config/policy.toml")] {
        let world = World::new();
        for (mode, others) in [(0o755, false), (0o700, false), (0o775, true), (0o757, true)] {
            world.mode(folder, mode);
            world.write(file, "");
            assert_eq!(world.load().is_err(), others, "{mode:o}");
            if others {
                let what = "its folder";
                assert_eq!(world.refusal(file), Refusal::Writable { what, mode });
            }
            // A folder that others may fill is refused also while it is empty.
            fs::remove_file(world.at(file)).unwrap();
            assert_eq!(world.load().is_err(), others, "{mode:o}");
        }
        world.mode(folder, 0o755);
        world.write(file, "");
        world.mode(file, 0o664);
        assert_eq!(world.refusal(file), Refusal::Writable { what: "it", mode: 0o664 });
        world.mode(file, 0o600);
        assert!(world.load().is_ok());

        // As if somebody else owned both.
        let user = world.places().owners.user;
        let owners = Owners { system: user + 1, user: user + 2 };
        let other = Places { owners, ..world.places() };
        let expected = Refusal::Owner { what: "its folder", owner: user };
        assert!(matches!(
            world.load_with(&other),
            Err(PolicyError::Refused { refusal, .. }) if refusal == expected
        ));
    }
}

#[test]
fn the_operator_may_not_own_the_floor_but_root_may_own_the_operators() {
    let world = World::new();
    world.write("etc/policy.toml", "");
    let user = world.places().owners.user;
    let not_root = Places { owners: Owners { system: user + 1, user }, ..world.places() };
    assert!(world.load_with(&not_root).is_err());
    fs::remove_dir_all(world.at("etc")).unwrap();
    assert!(world.load_with(&not_root).is_ok());
    let by_root = Places { owners: Owners { system: user, user: user + 1 }, ..world.places() };
    world.write("config/policy.toml", "");
    assert_eq!(world.load_with(&by_root).unwrap().files.len(), 1);
}

#[test]
fn a_folder_everybody_can_replace_is_refused() {
    let world = World::new();
    fs::create_dir_all(world.at("open/config")).unwrap();
    world.mode("open/config", 0o755);
    let places = Places { operator: world.at("open/config"), ..world.places() };
    world.mode("open", 0o777);
    assert!(matches!(
        world.load_with(&places),
        Err(PolicyError::Refused { refusal: Refusal::Above { mode: 0o777 }, .. })
    ));
    world.mode("open", 0o1777);
    assert!(world.load_with(&places).is_ok());
}

#[test]
fn a_folder_inside_the_project_is_refused() {
    let world = World::new();
    fs::create_dir_all(world.at("project/a/config")).unwrap();
    world.mode("project/a/config", 0o755);
    symlink(world.at("project/a"), world.at("outside")).unwrap();
    for operator in ["project/a/config", "outside/config", "project"] {
        let places = Places { operator: world.at(operator), ..world.places() };
        let file = world.at(operator).join("policy.toml");
        assert_eq!(refusal(world.load_with(&places), &file), Refusal::InsideProject, "{operator}");
        let places = Places { system: world.at(operator), ..world.places() };
        assert_eq!(refusal(world.load_with(&places), &file), Refusal::InsideProject, "{operator}");
    }
    // A folder that does not exist holds no policy, wherever it would lie.
    let places = Places { operator: world.at("project/none"), ..world.places() };
    assert!(world.load_with(&places).is_ok());
}

#[test]
fn links_and_special_files_are_refused() {
    let world = World::new();
    world.write("elsewhere.toml", "profile = 'balanced'");
    for name in ["etc/policy.toml", "config/policy.toml"] {
        symlink(world.at("elsewhere.toml"), world.at(name)).unwrap();
        assert_eq!(world.refusal(name), Refusal::Symlink);
        fs::remove_file(world.at(name)).unwrap();
        symlink(world.at("nowhere"), world.at(name)).unwrap();
        assert_eq!(world.refusal(name), Refusal::Symlink);
        fs::remove_file(world.at(name)).unwrap();
        mknodat(CWD, world.at(name), FileType::Fifo, Mode::from_raw_mode(0o600), 0).unwrap();
        assert_eq!(world.refusal(name), Refusal::NotAFile);
        fs::remove_file(world.at(name)).unwrap();
        fs::create_dir(world.at(name)).unwrap();
        assert_eq!(world.refusal(name), Refusal::NotAFile);
        fs::remove_dir(world.at(name)).unwrap();
    }
    fs::remove_dir(world.at("config")).unwrap();
    symlink(world.at("nowhere"), world.at("config")).unwrap();
    assert_eq!(world.refusal("config/policy.toml"), Refusal::Symlink);
    fs::remove_file(world.at("config")).unwrap();
    world.write("config", "");
    assert_eq!(world.refusal("config/policy.toml"), Refusal::NotAFolder);
}

#[test]
fn the_projects_file_must_be_a_plain_file_too() {
    let world = World::new();
    let file = Path::new(".exacta/policy.toml");
    let name = "project/.exacta/policy.toml";
    let told = |world: &World| refusal(world.load(), file).to_string();
    world.write("elsewhere.toml", "profile = 'balanced'");
    symlink(world.at("elsewhere.toml"), world.at(name)).unwrap();
    assert!(told(&world).contains("link"), "{}", told(&world));
    fs::remove_file(world.at(name)).unwrap();
    fs::hard_link(world.at("elsewhere.toml"), world.at(name)).unwrap();
    assert!(world.load().is_err());
    fs::remove_file(world.at(name)).unwrap();
    fs::create_dir(world.at(name)).unwrap();
    assert!(world.load().is_err());
    fs::remove_dir_all(world.at("project/.exacta")).unwrap();
    fs::create_dir(world.at("other")).unwrap();
    world.write("other/policy.toml", "");
    symlink(world.at("other"), world.at("project/.exacta")).unwrap();
    assert!(told(&world).contains("link"), "{}", told(&world));
}

const CEDAR: [(&str, &str); 3] = [
    ("etc", "permit (principal, action, resource);"),
    ("config", "permit (principal, action, resource);"),
    ("project/.exacta", "forbid (principal, action, resource) when { resource.risk > 50 };"),
];

#[test]
fn policies_for_cedar_come_with_or_without_keys_beside_them() {
    let world = World::new();
    let mut before = world.load().unwrap().merged.policy.hash().unwrap();
    for (count, (folder, text)) in CEDAR.into_iter().enumerate() {
        world.write(&format!("{folder}/policy.cedar"), text);
        let loaded = world.load().unwrap();
        assert_eq!(loaded.cedar.len(), count + 1);
        assert_eq!(loaded.merged.policy.arbiters.codes().count(), count + 1);
        let hash = loaded.merged.policy.hash().unwrap();
        assert_ne!(hash, before, "{folder}");
        before = hash;
    }
    world.write("config/policy.toml", "token_budget = 9");
    let loaded = world.load().unwrap();
    let names: Vec<_> = loaded.files.iter().map(|file| file.path.file_name().unwrap()).collect();
    assert_eq!(names, ["policy.cedar", "policy.toml", "policy.cedar", "policy.cedar"]);
    assert_eq!(loaded.files[3].path, Path::new(".exacta/policy.cedar"));
}

#[test]
fn policies_for_cedar_are_trusted_no_more_than_keys() {
    for (folder, text) in CEDAR {
        let name = format!("{folder}/policy.cedar");
        let (file, outside) = (world_path(&name), folder != "project/.exacta");
        let refused = |world: &World| match world.load() {
            Err(PolicyError::Refused { path, refusal }) => {
                assert!(path.ends_with(&file), "{path:?}");
                refusal
            }
            other => panic!("{name}: not refused: {other:?}"),
        };
        let world = World::new();
        world.write(&name, &format!("{text}{}", " ".repeat((256 << 10) - text.len())));
        assert!(world.load().is_ok(), "{name}");
        world.write(&name, &format!("{text}{}", " ".repeat(256 << 10)));
        refused(&world);
        if outside {
            world.write(&name, text);
            world.mode(&name, 0o666);
            assert_eq!(refused(&world), Refusal::Writable { what: "it", mode: 0o666 });
        }
        fs::remove_file(world.at(&name)).unwrap();
        world.write("elsewhere.cedar", text);
        symlink(world.at("elsewhere.cedar"), world.at(&name)).unwrap();
        assert!(refused(&world).to_string().contains("link"));
        fs::remove_file(world.at(&name)).unwrap();
        fs::create_dir(world.at(&name)).unwrap();
        refused(&world);
        let world = World::new();
        world.write(&name, "forbid (principal");
        let Err(error) = world.load() else { panic!("{name} passed") };
        assert!(error.path().ends_with(&file));
        assert_eq!(error.issues()[0].code, Code::PolicyInvalid);
    }
}

/// The last two components of a file's path.
fn world_path(name: &str) -> std::path::PathBuf {
    let parts: Vec<&str> = name.rsplitn(3, '/').take(2).collect();
    parts.into_iter().rev().collect()
}

#[test]
fn a_mistake_in_any_layer_blocks() {
    for name in ["etc/policy.toml", "config/policy.toml", "project/.exacta/policy.toml"] {
        let world = World::new();
        world.write(name, "# fine\nprofile = 'yolo'\n");
        let Err(error) = world.load() else { panic!("{name} passed") };
        assert_eq!(error.path().file_name(), Some(OsStr::new("policy.toml")));
        let issues = error.issues();
        assert_eq!(issues.len(), 1);
        assert_eq!(issues[0].code, Code::PolicyInvalid);
        assert_eq!(issues[0].place.map(|place| (place.line, place.column)), Some((2, 11)));
        world.write(name, &"#".repeat(1 << 20));
        assert!(world.load().is_ok());
        world.write(name, &"#".repeat((1 << 20) + 1));
        assert_eq!(world.load().unwrap_err().issues()[0].code, Code::PolicyRefused);
    }
}

#[test]
fn what_cannot_be_read_blocks() {
    for name in ["etc/policy.toml", "config/policy.toml", "project/.exacta/policy.toml"] {
        let world = World::new();
        world.write(name, "");
        world.mode(name, 0o000);
        let loaded = bound_by_permissions(|| world.load());
        assert!(matches!(loaded, Err(PolicyError::Refused { .. })), "{name}: {loaded:?}");
    }
}

#[test]
fn places_come_from_the_environment_that_is_handed_in() {
    let places = |xdg: Option<&str>, home: Option<&str>| {
        Places::new(xdg.map(OsStr::new), home.map(OsStr::new)).map(|places| places.operator)
    };
    assert_eq!(places(Some("/x"), Some("/h")).unwrap(), Path::new("/x/exacta"));
    assert_eq!(places(None, Some("/h")).unwrap(), Path::new("/h/.config/exacta"));
    assert_eq!(places(Some(""), Some("/h")).unwrap(), Path::new("/h/.config/exacta"));
    assert!(places(Some("x"), Some("/h")).is_err());
    assert!(places(None, Some("h")).is_err());
    assert!(places(None, None).is_err());
    let system = Places::new(None, Some(OsStr::new("/h"))).unwrap().system;
    assert_eq!(system, Path::new("/etc/exacta"));
}
