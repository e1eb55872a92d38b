//! A world of one site, and tools that run in it.

use std::collections::BTreeSet;
use std::sync::Arc;

use exacta_core::judge::policy::Policy;
use serde_json::Value;
use tempfile::TempDir;

use crate::context::{ToolContext, World};
use crate::error::ToolError;
use crate::kit;
use crate::net::address::Reach;
use crate::net::loopback::Loopback;
use crate::net::{Network, WebGate};
use crate::primitives;
use crate::registry::Registry;
use crate::secrets::PolicySecrets;

/// A world on this machine.
pub(super) struct Here {
    _folder: TempDir,
    pub(super) world: World,
    registry: Registry,
}

impl Here {
    pub(super) fn new(loopback: Loopback, mut policy: Policy) -> Self {
        let folder = tempfile::tempdir().unwrap();
        for host in loopback.hosts.keys() {
            policy.allowed_domains.insert(host.clone());
        }
        let network = Network::new().unwrap().with_loopback(loopback).unwrap();
        let mut world = kit::world(folder.path());
        let ports = BTreeSet::from([443]);
        let reach = Reach { domains: policy.allowed_domains.clone(), ports };
        world.http = Arc::new(WebGate::new(network.clone(), reach));
        world.secrets = Arc::new(PolicySecrets::new(policy.tools.secrets.clone()));
        world.vault = policy.tools.vault.as_ref().map(Into::into);
        let registry = primitives::registry(&policy, &network).unwrap();
        Self { _folder: folder, world, registry }
    }

    pub(super) fn context(&self, key: &str) -> ToolContext {
        let mut ctx = kit::context(self.world.clone());
        ctx.idempotency_key = key.to_owned();
        ctx
    }

    pub(super) async fn call(&self, tool: &str, args: Value) -> Result<Value, ToolError> {
        self.call_as("0123456789abcdef", tool, args).await
    }

    pub(super) async fn call_as(
        &self,
        key: &str,
        tool: &str,
        args: Value,
    ) -> Result<Value, ToolError> {
        self.call_in(&self.context(key), tool, args).await
    }

    pub(super) async fn call_in(
        &self,
        ctx: &ToolContext,
        tool: &str,
        args: Value,
    ) -> Result<Value, ToolError> {
        let found = self.registry.find(tool).unwrap();
        assert!(found.validator.is_valid(&args), "{tool}: {args}");
        found.primitive.run(ctx, &args).await.map(|output| output.value)
    }

    pub(super) async fn take_back(
        &self,
        tool: &str,
        args: &Value,
        output: &Value,
    ) -> Result<(), ToolError> {
        let ctx = self.context("0123456789abcdef");
        self.registry.find(tool).unwrap().primitive.compensate(&ctx, args, output).await
    }
}
