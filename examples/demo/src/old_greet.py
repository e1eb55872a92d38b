def greet_loudly(name):
    print("HELLO " + name.upper())
