import Glibc

exit(SimulateProgram.run(Array(CommandLine.arguments.dropFirst())))
