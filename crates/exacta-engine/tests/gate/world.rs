//! A project in memory with everything the gate reaches the world through.

use std::sync::Arc;

use exacta_core::judge::policy::{Policy, Profile};
use exacta_core::life::ledger::PlanEntry;
use exacta_core::life::lifecycle::{Moment, State};
use exacta_core::model::change::FileMode;
use exacta_core::model::digest::Blob;
use exacta_core::model::path::RelPath;
use exacta_core::model::tree::{Tree, TreeFault, TreeFile};
use exacta_core::record::{Actor, ActorKind};
use exacta_engine::gate::{
    Decided, Gate, GateError, Proposed, Ran, Secrets, SourceKind, Undone, check_record,
};
use exacta_engine::log::Report;
use exacta_engine::machine::{Machine, MachineError, id_from};
use exacta_engine::project::{Parts, Project};
use exacta_engine::run::Key;
use exacta_engine::trust::{Checkpoint, Checkpoints, Signer, TrustError};
use exacta_engine::workspace::{Sight, Spot, Workspace};
use exacta_testkit::{Harmless, MemoryWorkspace, Shared};

use crate::any::{Command, Outcome, Proof, What, handle as any_handle, plan_id_of, run_id_of};
use crate::tree::Spec;

pub(crate) const PROJECT: &str = "01938000-0000-7000-8000-000000000001";
pub(crate) const LOG: &str = ".exacta/log/0001.jsonl";

/// Clocks that a test turns, and names that come in order.
#[derive(Clone, Debug)]
pub(crate) struct TestMachine {
    pub(crate) now: Shared<Moment>,
    pub(crate) ids: Shared<u64>,
}

impl TestMachine {
    pub(crate) fn new() -> Self {
        let now =
            Moment { boot: "boot-1".into(), boottime_ms: 1_000_000, wall_ms: 1_763_275_500_000 };
        Self { now: Shared::new(now), ids: Shared::new(0) }
    }

    /// Both clocks go on.
    pub(crate) fn pass(&self, ms: u64) {
        let mut now = self.now.borrow_mut();
        now.boottime_ms += ms;
        now.wall_ms += ms;
    }
}

impl Machine for TestMachine {
    fn now(&self) -> Result<Moment, MachineError> {
        Ok(self.now.borrow().clone())
    }

    fn new_id(&self) -> Result<String, MachineError> {
        let number = {
            let mut ids = self.ids.borrow_mut();
            *ids += 1;
            *ids
        };
        let mut random = [0_u8; 10];
        random[..8].copy_from_slice(&number.to_be_bytes());
        // Names of one test sort in the order they were given out.
        Ok(id_from(1_763_000_000_000 + number, &random))
    }
}

/// Heads outside the project, which nothing here can lose.
#[derive(Clone, Debug, Default)]
pub(crate) struct Heads(pub(crate) Arc<Shared<Option<Checkpoint>>>);

impl Checkpoints for Heads {
    fn load(&self) -> Result<Option<Checkpoint>, TrustError> {
        Ok(self.0.borrow().clone())
    }

    fn note(&self, checkpoint: &Checkpoint) -> Result<(), TrustError> {
        *self.0.borrow_mut() = Some(checkpoint.clone());
        Ok(())
    }
}

/// The files behind a port, to read.
pub(crate) struct PortTree(pub(crate) Arc<dyn Workspace + Send + Sync>);

impl Tree for PortTree {
    fn look(&self, path: &RelPath) -> Result<Option<TreeFile>, TreeFault> {
        let spot = Spot::target(path);
        let unreadable =
            |error: exacta_engine::workspace::PortError| TreeFault::Unreadable(error.to_string());
        match self.0.see(&spot).map_err(unreadable)? {
            Sight::Absent => Ok(None),
            Sight::Unfit(fault) => Err(fault),
            Sight::File(seen) => {
                let bytes = self.0.read(&spot).map_err(unreadable)?;
                Ok(Some(TreeFile { blob: Blob::new(bytes), mode: seen.image.mode }))
            }
        }
    }

    fn has_tests(&self) -> bool {
        false
    }
}

/// A project in memory; a clone is the same project.
#[derive(Clone)]
pub(crate) struct World {
    pub(crate) disk: Arc<MemoryWorkspace>,
    pub(crate) machine: Arc<TestMachine>,
    pub(crate) policy: Arc<Shared<Policy>>,
    pub(crate) heads: Heads,
    pub(crate) secrets: Secrets,
}

pub(crate) fn secrets(heads: &Heads) -> Secrets {
    Secrets {
        project: exacta_core::model::id::ProjectId::parse(PROJECT).unwrap(),
        signer: Signer::new(&[7; 32]),
        key: Key::new([8; 32]),
        checkpoints: Arc::new(heads.clone()),
    }
}

pub(crate) fn files(list: &[(&str, &str)]) -> Vec<Spec> {
    let spec = |(path, text): &(&str, &str)| Spec {
        path: (*path).into(),
        bytes: text.as_bytes().to_vec(),
        mode: FileMode::REGULAR.bits(),
        attribute: None,
    };
    list.iter().map(spec).collect()
}

impl World {
    /// A disk on which everything lasts.
    pub(crate) fn new(list: &[(&str, &str)]) -> Self {
        Self::on(MemoryWorkspace::new(&files(list)).lasting())
    }

    pub(crate) fn on(disk: MemoryWorkspace) -> Self {
        let heads = Heads::default();
        Self {
            disk: Arc::new(disk),
            machine: Arc::new(TestMachine::new()),
            policy: Arc::new(Shared::new(Policy {
                profile: Profile::Conservative,
                ..Policy::default()
            })),
            secrets: secrets(&heads),
            heads,
        }
    }

    /// The same project and clocks at this moment, which goes its own way from here.
    pub(crate) fn fork(&self) -> Self {
        let heads = Heads::default();
        heads.0.borrow_mut().clone_from(&self.heads.0.borrow());
        Self {
            disk: Arc::new(MemoryWorkspace::clone(&self.disk)),
            machine: Arc::new(TestMachine::clone(&self.machine)),
            policy: Arc::new(Shared::clone(&self.policy)),
            secrets: secrets(&heads),
            heads,
        }
    }

    /// Opens the gate anew, as every command does.
    pub(crate) fn gate<R>(&self, act: impl FnOnce(&Gate<'_>) -> R) -> Result<R, GateError> {
        self.gate_on(&self.disk, act)
    }

    pub(crate) fn gate_on<R>(
        &self,
        port: &Arc<impl Workspace + 'static>,
        act: impl FnOnce(&Gate<'_>) -> R,
    ) -> Result<R, GateError> {
        Ok(act(&self.project_on(port).gate()?))
    }

    /// The project as a process of its own holds it.
    pub(crate) fn project_on(&self, port: &Arc<impl Workspace + 'static>) -> Project {
        let policy = Arc::clone(&self.policy);
        let workspace: Arc<dyn Workspace + Send + Sync> = port.clone();
        let parts = Parts {
            tree: Arc::new(PortTree(Arc::clone(&workspace))),
            workspace,
            inspector: Arc::new(Harmless),
            machine: self.machine.clone(),
            policy: Arc::new(move || Ok(policy.borrow().clone())),
            room: None,
            mask: Arc::new(|text: &str| text.to_owned()),
        };
        Project::new(parts, self.secrets.clone())
    }

    pub(crate) fn handle(&self, what: What) -> Result<Outcome, GateError> {
        self.handle_keyed(what, None)
    }

    pub(crate) fn handle_keyed(&self, what: What, key: Option<&str>) -> Result<Outcome, GateError> {
        self.gate(|gate| any_handle(gate, command(what, key)))?
    }

    pub(crate) fn propose(&self, draft: &str) -> Result<Decided, GateError> {
        Ok(proposed(self.handle(propose(draft))?))
    }

    pub(crate) fn approve(&self, plan_id: &str) -> Result<Decided, GateError> {
        Ok(decided(self.handle(approve(plan_id))?))
    }

    pub(crate) fn run(&self, plan_id: &str) -> Result<Ran, GateError> {
        match self.handle(What::Run { plan_id: plan_id_of(plan_id), hash: None })? {
            Outcome::Ran(outcome) => Ok(*outcome),
            other => panic!("{other:?}"),
        }
    }

    pub(crate) fn undo(&self, run_id: &str) -> Result<Undone, GateError> {
        match self.handle(undo(run_id))? {
            Outcome::Undone(outcome) => Ok(outcome),
            other => panic!("{other:?}"),
        }
    }

    /// What the record says about a plan.
    pub(crate) fn entry(&self, plan_id: &str) -> PlanEntry {
        self.gate(|gate| gate.log().ledger().plan(plan_id).cloned().unwrap()).unwrap()
    }

    pub(crate) fn state(&self, plan_id: &str) -> State {
        self.entry(plan_id).state()
    }

    /// The record and everything derived from it, checked as `exacta verify` does.
    pub(crate) fn verify(&self) -> Report {
        match self.gate(|gate| gate.verify(&[])) {
            Ok(report) => report.unwrap(),
            Err(GateError::Log(error)) if error.is_tampering() => self.check(),
            Err(error) => panic!("{error}"),
        }
    }

    /// The record alone, whether it can be opened or not.
    pub(crate) fn check(&self) -> Report {
        check_record(self.disk.as_ref(), &self.secrets, &[]).unwrap()
    }
}

pub(crate) fn person() -> Actor {
    Actor { kind: ActorKind::Person, name: "uid 1000".into() }
}

pub(crate) fn command(what: What, key: Option<&str>) -> Command {
    Command { what, key: key.map(Into::into) }
}

pub(crate) fn propose(draft: &str) -> What {
    What::Propose {
        kind: SourceKind::Draft,
        text: draft.as_bytes().to_vec(),
        intent: None,
        constraints: Vec::new(),
        proposer: None,
        parent: None,
        correlation_id: None,
    }
}

pub(crate) fn approve(plan_id: &str) -> What {
    let proof = Proof::Terminal;
    What::Approve { plan_id: plan_id_of(plan_id), hash: None, steps: None, proof }
}

pub(crate) fn reject(plan_id: &str) -> What {
    What::Reject { plan_id: plan_id_of(plan_id), reason: "no".into(), proof: Proof::Terminal }
}

pub(crate) fn undo(run_id: &str) -> What {
    What::Undo { run_id: run_id_of(run_id), hash: None, proof: Proof::Terminal }
}

pub(crate) fn proposed(outcome: Outcome) -> Decided {
    match outcome {
        Outcome::Proposed(proposed) => match *proposed {
            Proposed::Plan { plan, .. } | Proposed::Again(plan) => plan,
            Proposed::Refused { issues, .. } => panic!("{issues:?}"),
        },
        other => panic!("{other:?}"),
    }
}

pub(crate) fn decided(outcome: Outcome) -> Decided {
    match outcome {
        Outcome::Decided(plan) => plan,
        other => panic!("{other:?}"),
    }
}

/// A draft of one step that gives a file new content, and asks for a person.
pub(crate) fn asks(path: &str, content: &str) -> String {
    draft(path, content, true)
}

/// A draft of one step that may pass alone.
pub(crate) fn passes(path: &str, content: &str) -> String {
    draft(path, content, false)
}

fn draft(path: &str, content: &str, asks: bool) -> String {
    format!(
        r#"{{"goal":"write {path}","steps":[{{"step_id":"step_1","title":"Write {path}",
        "description":"Give {path} its new text","type":"file_modify","target":"{path}",
        "content":{content:?},"requires_approval":{asks}}}]}}"#
    )
}
