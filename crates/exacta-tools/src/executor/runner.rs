//! The engine's tool runner: synchronous outside, asynchronous inside.

use std::future::Future;
use std::sync::Arc;
use std::sync::mpsc::channel;

use exacta_engine::tools::{
    GuardFinding, StepAction, ToolFacts, ToolGraph, ToolPorts, ToolRun, ToolRunFault, ToolRunner,
};
use tokio::runtime::{Builder, Runtime};

use super::drive::Drive;
use crate::context::World;
use crate::guard::{self, Question};
use crate::refs;
use crate::registry::Registry;

/// Threads that run tools. They wait more than they compute.
const WORKERS: usize = 2;

/// Why there is no executor.
#[derive(Debug, thiserror::Error)]
#[error("the runtime of the tools could not be started: {0}")]
pub struct ExecutorFault(#[from] std::io::Error);

/// What the runs of one executor share.
pub(super) struct Shared {
    pub(super) registry: Registry,
    pub(super) world: Arc<World>,
}

/// Runs the tool steps of plans.
pub struct Executor {
    shared: Arc<Shared>,
    runtime: Option<Runtime>,
}

impl Executor {
    /// An executor of these tools.
    ///
    /// # Errors
    /// When its threads cannot be started.
    pub fn new(registry: Registry, world: World) -> Result<Self, ExecutorFault> {
        let runtime = Builder::new_multi_thread()
            .worker_threads(WORKERS)
            .thread_name("tools")
            .enable_all()
            .build()?;
        let shared = Arc::new(Shared { registry, world: Arc::new(world) });
        Ok(Self { shared, runtime: Some(runtime) })
    }

    /// Waits for work on our own threads, so that the caller may be anywhere, also on a
    /// thread of another runtime.
    fn wait_for<T: Send + 'static>(
        &self,
        work: impl Future<Output = Result<T, ToolRunFault>> + Send + 'static,
    ) -> Result<T, ToolRunFault> {
        let unavailable =
            || ToolRunFault::Unavailable("the run ended in a fault of its own".into());
        let Some(runtime) = &self.runtime else { return Err(unavailable()) };
        let (done, answer) = channel();
        runtime.spawn(async move {
            // Nobody else holds the other end.
            let _ = done.send(work.await);
        });
        answer.recv().map_err(|_| unavailable())?
    }
}

impl Drop for Executor {
    /// A question that nobody answers must not keep the process.
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

impl ToolRunner for Executor {
    fn tools(&self) -> Vec<ToolFacts> {
        self.shared.registry.facts()
    }

    fn check(&self, graph: &ToolGraph) -> Vec<GuardFinding> {
        let is_step = |id: &str| graph.steps.iter().any(|step| step.step_id == id);
        let mut findings = Vec::new();
        for step in &graph.steps {
            let StepAction::Tool { name, args, effect, .. } = &step.action else { continue };
            let unfilled = refs::places(args, &is_step);
            findings.extend(guard::check(
                &self.shared.registry,
                &Question {
                    step_id: &step.step_id,
                    tool: name,
                    args,
                    effect: *effect,
                    usable: &graph.usable,
                    unfilled: &unfilled,
                },
            ));
        }
        findings
    }

    fn run(&self, graph: &ToolGraph, ports: &ToolPorts) -> Result<ToolRun, ToolRunFault> {
        let drive = Drive::new(Arc::clone(&self.shared), graph.clone(), ports.clone())?;
        self.wait_for(drive.run())
    }

    fn roll_back(&self, graph: &ToolGraph, ports: &ToolPorts) -> Result<ToolRun, ToolRunFault> {
        let drive = Drive::new(Arc::clone(&self.shared), graph.clone(), ports.clone())?;
        self.wait_for(drive.roll_back())
    }
}
