"""The graph of the tools bench by LangGraph, durable by its SQLite saver; prints its seconds."""

import operator
import os
import sys
import tempfile
import time
from typing import Annotated, TypedDict

from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import END, START, StateGraph

WIDTH = 10


class State(TypedDict):
    done: Annotated[int, operator.add]


def main():
    rows = int(sys.argv[1]) // WIDTH
    builder = StateGraph(State)
    name = lambda row, column: f"s{row}_{column % WIDTH}"
    for row in range(rows):
        for column in range(WIDTH):
            builder.add_node(name(row, column), lambda state: {"done": 1})
    for row in range(rows):
        for column in range(WIDTH):
            if row == 0:
                builder.add_edge(START, name(row, column))
            else:
                needs = [name(row - 1, column), name(row - 1, column + 1)]
                builder.add_edge(needs, name(row, column))
    for column in range(WIDTH):
        builder.add_edge(name(rows - 1, column), END)
    with tempfile.TemporaryDirectory() as folder:
        with SqliteSaver.from_conn_string(os.path.join(folder, "record.db")) as saver:
            graph = builder.compile(checkpointer=saver)
            config = {"configurable": {"thread_id": "1"}, "recursion_limit": rows + 10}
            began = time.perf_counter()
            ended = graph.invoke({"done": 0}, config, durability="sync")
            took = time.perf_counter() - began
    if ended["done"] != rows * WIDTH:
        sys.exit(f"{ended['done']} steps were done")
    print(took)


main()
