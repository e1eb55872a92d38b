//! A project in memory whose tools do what a test says.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use exacta_core::judge::facts::{Fact, Inspected, Inspector};
use exacta_core::judge::policy::Policy;
use exacta_core::life::lifecycle::Moment;
use exacta_core::model::change::FileMode;
use exacta_core::model::diagnostic::Issue;
use exacta_core::model::digest::Blob;
use exacta_core::model::id::{PlanId, ProjectId};
use exacta_core::model::path::RelPath;
use exacta_core::model::registry::Effect;
use exacta_core::model::tree::{Tree, TreeFault, TreeFile};
use exacta_core::record::{Actor, ActorKind, Assurance};
use exacta_engine::gate::{
    Approve, Caller, Command, Gate, GateError, Propose, Proposed, Ran, Run, Secrets, Selection,
    SourceKind, StepDecide,
};
use exacta_engine::machine::{Machine, MachineError, id_from};
use exacta_engine::project::{Parts, Project};
use exacta_engine::proof::Proof;
use exacta_engine::run::Key;
use exacta_engine::tools::ToolRunner;
use exacta_engine::trust::{Checkpoint, Checkpoints, Signer, TrustError};
use exacta_engine::workspace::{PortError, Sight, Spot, Workspace};
use exacta_testkit::workspace::FileSpec;
use exacta_testkit::{MemoryWorkspace, Shared};
use exacta_tools::executor::Executor;
use exacta_tools::{AfterEffect, Output, Primitive, Registry, ToolContext, ToolError};
use serde_json::{Value, json};

const PROJECT: &str = "01938000-0000-7000-8000-000000000001";

/// What a call of a step does.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Does {
    Gives(Value),
    Fails,
    Panics,
    Loses,
    Suppressed,
    Waits(Duration),
}

/// What the tools of a test did and are to do; it outlives every process.
#[derive(Clone, Default)]
pub(crate) struct Script(Arc<Mutex<Acts>>);

#[derive(Default)]
struct Acts {
    does: BTreeMap<String, Does>,
    effects: Vec<String>,
    taken_back: Vec<String>,
    keys: BTreeMap<String, Vec<String>>,
}

impl Script {
    pub(crate) fn set(&self, step: &str, does: Does) {
        self.0.lock().unwrap().does.insert(step.into(), does);
    }

    /// The steps that had their effect, in this order.
    pub(crate) fn effects(&self) -> Vec<String> {
        self.0.lock().unwrap().effects.clone()
    }

    pub(crate) fn count(&self, step: &str) -> usize {
        self.effects().iter().filter(|done| *done == step).count()
    }

    pub(crate) fn taken_back(&self) -> Vec<String> {
        self.0.lock().unwrap().taken_back.clone()
    }

    pub(crate) fn keys(&self, step: &str) -> Vec<String> {
        self.0.lock().unwrap().keys.get(step).cloned().unwrap_or_default()
    }
}

struct Puppet {
    name: &'static str,
    effect: Effect,
    script: Script,
}

#[async_trait]
impl Primitive for Puppet {
    fn name(&self) -> &'static str {
        self.name
    }

    fn effect(&self) -> Effect {
        self.effect
    }

    fn idempotent(&self) -> bool {
        self.effect <= Effect::DraftWrite
    }

    fn reversible(&self) -> bool {
        self.effect == Effect::DraftWrite
    }

    fn args_schema(&self) -> Value {
        json!({"type": "object", "properties": {"text": {"type": "string"}}})
    }

    async fn run(&self, ctx: &ToolContext, _: &Value) -> Result<Output, ToolError> {
        let does = {
            let mut acts = self.script.0.lock().unwrap();
            acts.keys.entry(ctx.step_id.to_string()).or_default().push(ctx.idempotency_key.clone());
            acts.does.get(ctx.step_id.as_str()).cloned().unwrap_or(Does::Gives(Value::Null))
        };
        match does {
            Does::Fails => return Err(ToolError::new("BROKEN", "it broke")),
            Does::Panics => std::panic::resume_unwind(Box::new("scripted")),
            Does::Suppressed => return Err(ToolError::suppressed("quiet hours")),
            Does::Waits(time) => tokio::time::sleep(time).await,
            Does::Gives(_) | Does::Loses => {}
        }
        ctx.effect_point().await?;
        self.script.0.lock().unwrap().effects.push(ctx.step_id.to_string());
        match does {
            Does::Gives(value) => Ok(Output::new(value)),
            Does::Loses => {
                Err(ToolError::new("LOST", "no answer came").after(AfterEffect::Unknown))
            }
            _ => Ok(Output::new(Value::Null)),
        }
    }

    async fn compensate(&self, ctx: &ToolContext, _: &Value, _: &Value) -> Result<(), ToolError> {
        self.script.0.lock().unwrap().taken_back.push(ctx.step_id.to_string());
        Ok(())
    }
}

fn runner(script: &Script) -> Arc<dyn ToolRunner> {
    let mut registry = Registry::new();
    for (name, effect) in [
        ("NotifyUser", Effect::Read),
        ("AggregateDailySummary", Effect::Read),
        ("WriteOutcomeDraft", Effect::DraftWrite),
        ("SendEmail", Effect::Send),
    ] {
        registry.add(Arc::new(Puppet { name, effect, script: script.clone() })).unwrap();
    }
    let folder = std::env::temp_dir();
    Arc::new(Executor::new(registry, exacta_tools::kit::world(&folder)).unwrap())
}

#[derive(Debug)]
struct TestMachine {
    ids: Shared<u64>,
    now: Shared<Moment>,
}

impl Machine for TestMachine {
    fn now(&self) -> Result<Moment, MachineError> {
        let mut now = self.now.borrow_mut();
        now.wall_ms += 1;
        now.boottime_ms += 1;
        Ok(now.clone())
    }

    fn new_id(&self) -> Result<String, MachineError> {
        let mut ids = self.ids.borrow_mut();
        *ids += 1;
        let mut random = [0_u8; 10];
        random[..8].copy_from_slice(&ids.to_be_bytes());
        Ok(id_from(1_763_000_000_000 + *ids, &random))
    }
}

#[derive(Clone, Debug, Default)]
struct Heads(Arc<Shared<Option<Checkpoint>>>);

impl Checkpoints for Heads {
    fn load(&self) -> Result<Option<Checkpoint>, TrustError> {
        Ok(self.0.borrow().clone())
    }

    fn note(&self, checkpoint: &Checkpoint) -> Result<(), TrustError> {
        *self.0.borrow_mut() = Some(checkpoint.clone());
        Ok(())
    }
}

struct NoFacts;

impl Inspector for NoFacts {
    fn inspect(&self, _: &[Inspected<'_>], _: &[Blob]) -> Vec<Fact> {
        Vec::new()
    }
}

struct PortTree(Arc<dyn Workspace + Send + Sync>);

impl Tree for PortTree {
    fn look(&self, path: &RelPath) -> Result<Option<TreeFile>, TreeFault> {
        let spot = Spot::target(path);
        let unreadable = |error: PortError| TreeFault::Unreadable(error.to_string());
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

/// A project in memory and the tools of its process.
pub(crate) struct World {
    pub(crate) disk: Arc<MemoryWorkspace>,
    pub(crate) script: Script,
    pub(crate) policy: Arc<Shared<Policy>>,
    machine: Arc<TestMachine>,
    heads: Heads,
    runner: Arc<dyn ToolRunner>,
}

impl World {
    pub(crate) fn new(files: &[(&str, &str)]) -> Self {
        let world = Self::forgetful(files);
        let disk = MemoryWorkspace::clone(&world.disk).lasting();
        world.with_disk(disk)
    }

    /// A world in which a power loss takes away what was not synced.
    pub(crate) fn forgetful(files: &[(&str, &str)]) -> Self {
        let spec = |(path, text): &(&str, &str)| FileSpec {
            path: (*path).into(),
            bytes: text.as_bytes().to_vec(),
            mode: FileMode::REGULAR.bits(),
            attribute: None,
        };
        let specs: Vec<FileSpec> = files.iter().map(spec).collect();
        let now =
            Moment { boot: "boot-1".into(), boottime_ms: 1_000_000, wall_ms: 1_763_275_500_000 };
        let script = Script::default();
        let policy = Policy {
            allowed_recipients: ["ann@example.org".to_owned()].into(),
            ..Policy::default()
        };
        Self {
            disk: Arc::new(MemoryWorkspace::new(&specs)),
            runner: runner(&script),
            script,
            policy: Arc::new(Shared::new(policy)),
            machine: Arc::new(TestMachine { ids: Shared::new(0), now: Shared::new(now) }),
            heads: Heads::default(),
        }
    }

    /// The same world with another disk.
    pub(crate) fn with_disk(mut self, disk: MemoryWorkspace) -> Self {
        self.disk = Arc::new(disk);
        self
    }

    /// The machine is switched on again.
    pub(crate) fn reboot(&self) {
        let mut now = self.machine.now.borrow_mut();
        now.boot.push_str(", again");
    }

    pub(crate) fn project_on(&self, port: Arc<dyn Workspace + Send + Sync>) -> Project {
        let policy = Arc::clone(&self.policy);
        let parts = Parts {
            tree: Arc::new(PortTree(Arc::clone(&port))),
            workspace: port,
            inspector: Arc::new(NoFacts),
            machine: self.machine.clone(),
            policy: Arc::new(move || Ok(policy.borrow().clone())),
            room: None,
            mask: Arc::new(|text: &str| text.to_owned()),
        };
        let secrets = Secrets {
            project: ProjectId::parse(PROJECT).unwrap(),
            signer: Signer::new(&[7; 32]),
            key: Key::new([8; 32]),
            checkpoints: Arc::new(self.heads.clone()),
        };
        let runner = Arc::clone(&self.runner);
        Project::new(parts, secrets).with_tools(Arc::new(move || Ok(Arc::clone(&runner))))
    }

    /// A gate as a process of its own opens it.
    pub(crate) fn gate<R>(&self, act: impl FnOnce(&Gate<'_>) -> R) -> R {
        self.gate_on(self.disk.clone(), act)
    }

    pub(crate) fn gate_on<R>(
        &self,
        port: Arc<dyn Workspace + Send + Sync>,
        act: impl FnOnce(&Gate<'_>) -> R,
    ) -> R {
        act(&self.project_on(port).gate().unwrap())
    }

    pub(crate) fn handle<C: Command + Clone>(&self, command: C) -> Result<C::Reply, GateError> {
        self.gate(|gate| gate.handle(&Caller::new(person()), command))
    }

    /// Somebody answers everything that a run asks.
    pub(crate) fn decide(&self, ran: &Ran, approve: bool) {
        for ask in &ran.asks {
            self.handle(StepDecide {
                run_id: ran.run_id.clone(),
                step_id: ask.step_id.clone(),
                arguments: ask.arguments,
                approve,
                reason: None,
                plan_hash: None,
                proof: Proof::for_tests(Assurance::Terminal),
            })
            .unwrap();
        }
    }

    /// Hands in what makes no plan.
    pub(crate) fn refused(&self, draft: &Value) -> Vec<Issue> {
        match self.handle(proposal(draft)).unwrap() {
            Proposed::Refused { issues, .. } => issues,
            other => panic!("{other:?}"),
        }
    }

    /// Hands a plan in and approves it where it waits.
    pub(crate) fn approved(&self, draft: &Value) -> PlanId {
        let (plan_id, waits) = match self.handle(proposal(draft)).unwrap() {
            Proposed::Plan { plan, .. } | Proposed::Again(plan) => {
                (plan.plan_id.clone(), plan.state.as_str() == "pending")
            }
            Proposed::Refused { issues, .. } => panic!("{issues:#?}"),
        };
        if waits {
            let (plan_hash, selection) = (None, Selection::Whole);
            let proof = Proof::for_tests(Assurance::Terminal);
            let id = plan_id.clone();
            self.handle(Approve { plan_id: id, plan_hash, selection, proof }).unwrap();
        }
        plan_id
    }

    pub(crate) fn run(&self, plan_id: &PlanId) -> Result<Ran, GateError> {
        self.handle(Run { plan_id: plan_id.clone(), plan_hash: None })
    }

    pub(crate) fn text(&self, path: &str) -> Option<String> {
        self.disk.bytes(path).map(|bytes| String::from_utf8(bytes).unwrap())
    }

    /// The names of what is on the record.
    pub(crate) fn events(&self) -> Vec<&'static str> {
        self.gate(|gate| {
            gate.log().entries().unwrap().iter().map(|entry| entry.event.name()).collect()
        })
    }

    pub(crate) fn verified(&self) {
        let report = self.gate(|gate| gate.verify(&[])).unwrap();
        assert!(report.problems.is_empty(), "{:#?}", report.problems);
    }
}

fn proposal(draft: &Value) -> Propose {
    Propose::new(SourceKind::Draft, draft.to_string().into_bytes())
}

pub(crate) fn person() -> Actor {
    Actor { kind: ActorKind::Person, name: "uid 1000".into() }
}
