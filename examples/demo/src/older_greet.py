def greet_quietly(name):
    print("hello " + name.lower())
