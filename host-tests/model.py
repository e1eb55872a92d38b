"""A scripted model on loopback, in the forms that coding agents speak: it asks once for a tool,
and says goodbye once it has seen the result. Arguments: the port file, the tool's name, and its
arguments as JSON. What it is asked is written to standard output, a line each."""

import http.server
import json
import sys

PORT_FILE, TOOL, ARGUMENTS = sys.argv[1], sys.argv[2], json.loads(sys.argv[3])
BYE = "Done."


def sse(events):
    return "".join(f"event: {name}\ndata: {json.dumps(data)}\n\n" if name else
                   f"data: {json.dumps(data) if data != '[DONE]' else data}\n\n"
                   for name, data in events).encode()


def anthropic(asked):
    done = "tool_result" in json.dumps(asked.get("messages", []))
    tools = [tool.get("name") for tool in asked.get("tools", [])]
    if TOOL not in tools:
        done = True
    block = ({"type": "text", "text": ""} if done else
             {"type": "tool_use", "id": "toolu_01scripted", "name": TOOL, "input": {}})
    delta = ({"type": "text_delta", "text": BYE} if done else
             {"type": "input_json_delta", "partial_json": json.dumps(ARGUMENTS)})
    message = {"id": "msg_1", "type": "message", "role": "assistant", "model": asked.get("model"),
               "content": [], "stop_reason": None, "stop_sequence": None,
               "usage": {"input_tokens": 1, "output_tokens": 1}}
    if not asked.get("stream"):
        content = [{"type": "text", "text": BYE}] if done else [{**block, "input": ARGUMENTS}]
        return "application/json", json.dumps({**message, "content": content, "stop_reason":
                                               "end_turn" if done else "tool_use"}).encode()
    return "text/event-stream", sse([
        ("message_start", {"type": "message_start", "message": message}),
        ("content_block_start", {"type": "content_block_start", "index": 0, "content_block": block}),
        ("content_block_delta", {"type": "content_block_delta", "index": 0, "delta": delta}),
        ("content_block_stop", {"type": "content_block_stop", "index": 0}),
        ("message_delta", {"type": "message_delta", "delta": {
            "stop_reason": "end_turn" if done else "tool_use", "stop_sequence": None},
            "usage": {"output_tokens": 5}}),
        ("message_stop", {"type": "message_stop"})])


def responses(asked):
    text = json.dumps(asked.get("input", []))
    done = "function_call_output" in text or "custom_tool_call_output" in text
    tools = [tool.get("name", tool.get("type")) for tool in asked.get("tools", [])]
    custom = any(tool.get("name") == TOOL and tool.get("type") == "custom"
                 for tool in asked.get("tools", []))
    print(json.dumps({"tools": tools}), flush=True)
    if done:
        item = {"type": "message", "role": "assistant", "id": "m1",
                "content": [{"type": "output_text", "text": BYE}]}
    elif custom:
        item = {"type": "custom_tool_call", "id": "c1", "call_id": "call_1", "name": TOOL,
                "input": ARGUMENTS["input"]}
    else:
        item = {"type": "function_call", "id": "c1", "call_id": "call_1", "name": TOOL,
                "arguments": json.dumps(ARGUMENTS)}
    answer = {"id": "resp_1", "object": "response", "status": "completed", "output": [item],
              "usage": {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2,
                        "input_tokens_details": {"cached_tokens": 0},
                        "output_tokens_details": {"reasoning_tokens": 0}}}
    return "text/event-stream", sse([
        ("response.created", {"type": "response.created", "response": {"id": "resp_1"}}),
        ("response.output_item.done", {"type": "response.output_item.done", "output_index": 0,
                                       "item": item}),
        ("response.completed", {"type": "response.completed", "response": answer})])


def chat(asked):
    done = any(message.get("role") == "tool" for message in asked.get("messages", []))
    names = [tool["function"]["name"] for tool in asked.get("tools", [])]
    done = done or TOOL not in names
    call = {"index": 0, "id": "call_1", "type": "function",
            "function": {"name": TOOL, "arguments": json.dumps(ARGUMENTS)}}
    delta = {"content": BYE} if done else {"tool_calls": [call]}
    base = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": asked.get("model")}
    end = "stop" if done else "tool_calls"
    return "text/event-stream", sse([
        (None, {**base, "choices": [{"index": 0, "delta": {"role": "assistant", **delta}}]}),
        (None, {**base, "choices": [{"index": 0, "delta": {}, "finish_reason": end}]}),
        (None, {**base, "choices": [], "usage": {"prompt_tokens": 1, "completion_tokens": 1,
                                                 "total_tokens": 2}}),
        (None, "[DONE]")])


def gemini(asked, path):
    done = "functionResponse" in json.dumps(asked.get("contents", []))
    names = [one.get("name") for tool in asked.get("tools", [])
             for one in tool.get("functionDeclarations", [])]
    done = done or TOOL not in names
    part = {"text": BYE} if done else {"functionCall": {"name": TOOL, "args": ARGUMENTS}}
    if asked.get("generationConfig", {}).get("responseMimeType") == "application/json":
        part = {"text": json.dumps({"reasoning": "", "model_choice": "flash", "next_speaker": "user"})}
    answer = {"candidates": [{"content": {"role": "model", "parts": [part]}, "index": 0,
                              "finishReason": "STOP"}],
              "usageMetadata": {"promptTokenCount": 1, "candidatesTokenCount": 1,
                                "totalTokenCount": 2}, "modelVersion": "scripted"}
    if "stream" in path:
        return "text/event-stream", sse([(None, answer)])
    return "application/json", json.dumps(answer).encode()


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def reply(self, kind, body):
        self.send_response(200)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        self.reply("application/json", json.dumps({"data": [], "models": [], "object": "list"}).encode())

    do_HEAD = do_GET

    def do_POST(self):
        raw = self.rfile.read(int(self.headers.get("content-length") or 0))
        try:
            asked = json.loads(raw or b"{}")
        except ValueError:
            asked = {}
        print(json.dumps({"path": self.path, "model": asked.get("model"), "heard": [
            line for line in (raw.decode(errors="replace").split("exacta")[1:])][:1]})[:4000],
            flush=True)
        if "count_tokens" in self.path:
            self.reply("application/json", b'{"input_tokens": 1, "totalTokens": 1}')
        elif "/messages" in self.path:
            self.reply(*anthropic(asked))
        elif "/responses" in self.path:
            self.reply(*responses(asked))
        elif "/chat/completions" in self.path:
            self.reply(*chat(asked))
        elif "enerateContent" in self.path:
            self.reply(*gemini(asked, self.path))
        else:
            self.reply("application/json", b"{}")


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
with open(PORT_FILE, "w") as file:
    file.write(str(server.server_address[1]))
server.serve_forever()
