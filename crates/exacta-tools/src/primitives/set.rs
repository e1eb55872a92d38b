//! The set of primitives that a policy gives, and the executor that runs them.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

use exacta_core::judge::policy::Policy;
use exacta_core::model::web::host_and_port;

use super::aggregate_daily_summary::AggregateDailySummary;
use super::call_api::CallApi;
use super::fetch::Fetcher;
use super::notify_user::NotifyUser;
use super::read_forwarded_email::ReadForwardedEmail;
use super::read_sources::ReadSources;
use super::read_vault_file::ReadVaultFile;
use super::read_web::ReadWeb;
use super::schedule_run::ScheduleRun;
use super::send_email::SendEmail;
use super::triage_email::TriageEmail;
use super::write_email_draft::WriteEmailDraft;
use super::write_outcome_draft::WriteOutcomeDraft;
use crate::context::World;
use crate::error::ToolError;
use crate::executor::{Executor, ExecutorFault};
use crate::http::HttpGate;
use crate::net::address::Reach;
use crate::net::{Network, WebGate};
use crate::registry::{Registry, RegistryFault};
use crate::secrets::PolicySecrets;

/// Where the tools of a project keep what they write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Folders {
    /// For drafts.
    pub outbox: PathBuf,
    /// For what tools remember.
    pub memory: PathBuf,
}

/// Why there are no tools.
#[derive(Debug, thiserror::Error)]
pub enum SetupFault {
    /// The network cannot be set up.
    #[error("the network of the tools cannot be set up: {0}")]
    Network(#[from] ToolError),
    /// A primitive is not what plans are judged by.
    #[error(transparent)]
    Registry(#[from] RegistryFault),
    /// The threads cannot be started.
    #[error(transparent)]
    Executor(#[from] ExecutorFault),
}

/// An executor of the primitives that this policy gives.
///
/// # Errors
/// When it cannot be set up.
pub fn executor(policy: &Policy, folders: Folders) -> Result<Executor, SetupFault> {
    let network = Network::of_this_machine()?;
    let tools = &policy.tools;
    let world = World {
        secrets: Arc::new(PolicySecrets::new(tools.secrets.clone())),
        http: Arc::new(WebGate::new(network.clone(), plans(policy))),
        outbox: folders.outbox,
        memory: folders.memory,
        vault: tools.vault.as_ref().map(PathBuf::from),
        settings: Arc::default(),
    };
    Ok(Executor::new(registry(policy, &network)?, world)?)
}

/// Where plans may go.
fn plans(policy: &Policy) -> Reach {
    let ports = policy.tools.ports.iter().filter_map(|port| u16::try_from(*port).ok());
    Reach { domains: policy.allowed_domains.clone(), ports: ports.collect() }
}

/// Where the operator's own settings go: exactly the hosts and ports they name.
pub(crate) fn settings_reach(policy: &Policy) -> Reach {
    let tools = &policy.tools;
    let endpoints = tools.endpoints.values().map(|endpoint| &endpoint.url);
    let named = endpoints.chain(&tools.notify.webhook).chain(&tools.notify.ntfy);
    let (mut domains, mut ports) = (BTreeSet::new(), BTreeSet::new());
    for (host, port) in named.filter_map(|url| host_and_port(url).ok()) {
        domains.insert(host.to_owned());
        ports.insert(port.unwrap_or(443));
    }
    Reach { domains, ports }
}

/// Every primitive, set up as the policy says.
///
/// # Errors
/// When one is not what plans are judged by.
pub fn registry(policy: &Policy, network: &Network) -> Result<Registry, RegistryFault> {
    let tools = &policy.tools;
    let fetcher = Arc::new(Fetcher::default());
    let inbox = tools.inbox.as_ref().map(PathBuf::from);
    let gate: Arc<dyn HttpGate> = Arc::new(WebGate::new(network.clone(), settings_reach(policy)));
    let mut registry = Registry::new();
    registry.add(Arc::new(ReadWeb { fetcher: Arc::clone(&fetcher) }))?;
    registry.add(Arc::new(ReadSources { fetcher }))?;
    registry.add(Arc::new(ReadForwardedEmail { inbox: inbox.clone() }))?;
    registry.add(Arc::new(ReadVaultFile))?;
    registry.add(Arc::new(AggregateDailySummary))?;
    registry.add(Arc::new(NotifyUser {
        notify: tools.notify.clone(),
        mail: tools.mail.clone(),
        network: network.clone(),
        gate: Arc::clone(&gate),
    }))?;
    registry.add(Arc::new(TriageEmail { inbox }))?;
    registry.add(Arc::new(WriteOutcomeDraft))?;
    registry.add(Arc::new(WriteEmailDraft { from: tools.mail.from.clone() }))?;
    registry.add(Arc::new(ScheduleRun))?;
    registry.add(Arc::new(SendEmail {
        mail: tools.mail.clone(),
        allowed: policy.allowed_recipients.clone(),
        network: network.clone(),
    }))?;
    registry.add(Arc::new(CallApi { endpoints: tools.endpoints.clone(), gate }))?;
    Ok(registry)
}
