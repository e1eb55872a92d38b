//! Requests and streams of the three forms, as bytes.

use serde_json::{Value, json};

use super::{Endpoint, Format, PlannerError, Question, Role};

/// The body of a request.
pub(super) fn body(endpoint: &Endpoint, question: &Question) -> Value {
    let messages = question.messages.iter().map(|(role, text)| {
        let role = match role {
            Role::User => "user",
            Role::Assistant => "assistant",
        };
        json!({ "role": role, "content": text })
    });
    let mut messages: Vec<Value> = messages.collect();
    let system = json!({ "role": "system", "content": question.system });
    match endpoint.format {
        Format::Anthropic => json!({ "model": endpoint.model, "max_tokens": question.max_tokens,
            "system": question.system, "messages": messages, "stream": true }),
        Format::OpenAi => {
            messages.insert(0, system);
            json!({ "model": endpoint.model, "max_completion_tokens": question.max_tokens,
                "messages": messages, "stream": true, "stream_options": { "include_usage": true },
                "response_format": { "type": "json_object" } })
        }
        Format::Ollama => {
            messages.insert(0, system);
            json!({ "model": endpoint.model, "messages": messages, "stream": true,
                "format": "json", "options": { "num_predict": question.max_tokens } })
        }
    }
}

/// What was read of a stream so far.
#[derive(Debug, Default)]
pub(super) struct Stream {
    rest: Vec<u8>,
    pub(super) text: String,
    pub(super) model: Option<String>,
    pub(super) input_tokens: u64,
    pub(super) output_tokens: u64,
    /// Whether the provider said that it is the end.
    pub(super) ended: bool,
    /// Whether a local server says that it only handed the question on.
    pub(super) remote: bool,
    /// Whether the answer was cut for its length.
    pub(super) cut: bool,
}

impl Stream {
    /// Takes some bytes, which may end anywhere.
    pub(super) fn take(&mut self, format: Format, bytes: &[u8]) -> Result<(), PlannerError> {
        self.rest.extend_from_slice(bytes);
        while let Some(end) = self.rest.iter().position(|byte| *byte == b'\n') {
            let line: Vec<u8> = self.rest.drain(..=end).collect();
            self.line(format, &line)?;
        }
        Ok(())
    }

    /// Takes what is left when there is no more.
    pub(super) fn end(&mut self, format: Format) -> Result<(), PlannerError> {
        let line = std::mem::take(&mut self.rest);
        self.line(format, &line)
    }

    fn line(&mut self, format: Format, line: &[u8]) -> Result<(), PlannerError> {
        let bad = |what: &str| PlannerError::Form(what.chars().take(200).collect());
        let line = std::str::from_utf8(line).map_err(|_| bad("it is not UTF-8"))?.trim();
        let data = match format {
            Format::Ollama => line,
            // Names of events and comments say nothing that the data does not.
            Format::Anthropic | Format::OpenAi => match line.strip_prefix("data:") {
                Some(data) => data.trim(),
                None => return Ok(()),
            },
        };
        if data.is_empty() {
            return Ok(());
        }
        if data == "[DONE]" {
            self.ended = true;
            return Ok(());
        }
        let event: Value = serde_json::from_str(data).map_err(|error| bad(&error.to_string()))?;
        if let Some(error) = event.get("error").filter(|error| !error.is_null()) {
            return Err(bad(&format!("the provider reports an error: {error}")));
        }
        match format {
            Format::Anthropic => self.anthropic(&event),
            Format::OpenAi => self.open_ai(&event),
            Format::Ollama => self.ollama(&event),
        }
        Ok(())
    }

    fn anthropic(&mut self, event: &Value) {
        let number = |at: &str| event.pointer(at).and_then(Value::as_u64);
        let word = |at: &str| event.pointer(at).and_then(Value::as_str);
        match word("/type") {
            Some("message_start") => {
                self.model = word("/message/model").map(Into::into);
                self.input_tokens = number("/message/usage/input_tokens").unwrap_or_default();
            }
            Some("content_block_delta") => {
                self.text.push_str(word("/delta/text").unwrap_or_default());
            }
            Some("message_delta") => {
                self.output_tokens = number("/usage/output_tokens").unwrap_or(self.output_tokens);
                self.cut |= word("/delta/stop_reason") == Some("max_tokens");
            }
            Some("message_stop") => self.ended = true,
            _ => {}
        }
    }

    fn open_ai(&mut self, event: &Value) {
        let number = |at: &str| event.pointer(at).and_then(Value::as_u64);
        let word = |at: &str| event.pointer(at).and_then(Value::as_str);
        if let Some(model) = word("/model") {
            self.model = Some(model.into());
        }
        self.text.push_str(word("/choices/0/delta/content").unwrap_or_default());
        self.cut |= word("/choices/0/finish_reason") == Some("length");
        self.input_tokens = number("/usage/prompt_tokens").unwrap_or(self.input_tokens);
        self.output_tokens = number("/usage/completion_tokens").unwrap_or(self.output_tokens);
    }

    fn ollama(&mut self, event: &Value) {
        let number = |at: &str| event.pointer(at).and_then(Value::as_u64);
        let word = |at: &str| event.pointer(at).and_then(Value::as_str);
        if let Some(model) = word("/model") {
            self.model = Some(model.into());
        }
        self.text.push_str(word("/message/content").unwrap_or_default());
        self.input_tokens = number("/prompt_eval_count").unwrap_or(self.input_tokens);
        self.output_tokens = number("/eval_count").unwrap_or(self.output_tokens);
        self.cut |= word("/done_reason") == Some("length");
        let mut remote = ["/remote_host", "/remote_model"].into_iter().filter_map(word);
        self.remote |= remote.any(|name| !name.is_empty());
        self.ended |= event.get("done") == Some(&Value::Bool(true));
    }
}

/// Whether the model that answered is the one that was asked, or a dated name of it.
pub(super) fn is_same_model(asked: &str, answered: &str) -> bool {
    let dated = |rest: &str| {
        rest.strip_prefix('-').is_some_and(|date| {
            date.len() >= 8 && date.chars().all(|c| c.is_ascii_digit() || c == '-')
        })
    };
    answered == asked
        || answered.strip_prefix(asked).is_some_and(|rest| rest == ":latest" || dated(rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stream_may_be_cut_anywhere() {
        let whole = "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"model\":\"m\",\"usage\":{\"input_tokens\":3}}}\n\ndata: {\"type\":\"content_block_delta\",\"delta\":{\"type\":\"text_delta\",\"text\":\"héllo\"}}\n\ndata: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"},\"usage\":{\"output_tokens\":2}}\n\ndata: {\"type\":\"message_stop\"}\n\n";
        for at in 0..whole.len() {
            let mut stream = Stream::default();
            let (one, two) = whole.as_bytes().split_at(at);
            stream.take(Format::Anthropic, one).unwrap();
            stream.take(Format::Anthropic, two).unwrap();
            stream.end(Format::Anthropic).unwrap();
            assert_eq!((stream.text.as_str(), stream.ended), ("héllo", true));
            assert_eq!((stream.input_tokens, stream.output_tokens), (3, 2));
        }
    }

    #[test]
    fn only_a_date_may_follow_the_name_of_a_model() {
        for answered in ["gpt-5", "gpt-5-2026-08-06", "gpt-5-20260806"] {
            assert!(is_same_model("gpt-5", answered), "{answered}");
        }
        for answered in ["gpt-5-mini", "gpt-50", "gpt-4", "", "gpt-5-mini-2026-08-06"] {
            assert!(!is_same_model("gpt-5", answered), "{answered}");
        }
    }
}
