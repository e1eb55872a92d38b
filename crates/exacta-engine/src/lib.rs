//! Effects on this machine: the project root handle, later the transaction and the log.
