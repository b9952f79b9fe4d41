"""
Orbits of bodies around a star.
"""
module Orbits

using LinearAlgebra
using Statistics: mean, std
import Base: show, +
import JSON as J
include("units.jl")

export Body, Orbit, propagate!

const G = 6.674e-11
const AU = 1.496e11
default_step::Float64 = 60.0

"What a body is made of."
@enum Kind rocky gaseous

"""
    Body(name, mass)

Anything with mass.
"""
abstract type AbstractBody end

primitive type Tag 8 end

struct Body{T<:Real} <: AbstractBody
    name::String
    mass::T
    kind::Kind

    Body(name, mass::T) where {T} = new{T}(name, mass, rocky)
end

Base.@kwdef mutable struct Orbit <: AbstractOrbit
    body::Body
    position::Vector{Float64} = zeros(3)
    velocity
end

# Newton's law.
function gravity(a::Body, b::Body, distance)
    distance > 0 || throw(ArgumentError("no distance"))
    square(x) = x^2
    return G * a.mass * b.mass / square(distance)
end

energy(orbit::Orbit) = 0.5 * orbit.body.mass * norm(orbit.velocity)^2

function propagate!(orbit::Orbit, step::Real = default_step; steps = 1)::Orbit
    for _ in 1:steps
        orbit.position .+= orbit.velocity .* step
    end
    map(orbit.position) do x
        round(x; digits = 3)
    end
    J.print(orbit)
    orbit
end

Base.show(io::IO, body::Body) = print(io, body.name)

function Base.:+(a::Orbit, b::Orbit) where {T <: Real}
    Orbit(; body = a.body, velocity = a.velocity + b.velocity)
end

(orbit::Orbit)(time) = orbit.position .* time

macro timed(expression)
    quote
        @time $(esc(expression))
    end
end

module Presets
using ..Orbits
earth() = Body("earth", 5.97e24)
end

const sun = Presets.earth()

end # module
