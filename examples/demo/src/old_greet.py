_GREETING = "HELLO"


def greet_loudly(name):
    print(_GREETING + " " + name.upper())
