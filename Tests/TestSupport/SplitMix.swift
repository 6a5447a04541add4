import Simulation

/// The generator of the simulations serves random tests too.
package typealias SplitMix = Simulation.SplitMix
