// What a scan may look at: its targets, without its exclusions, inside of what the tenancy has been allowed. Judged when it is saved, when it runs and before
// each part of it, so that a network that was taken back is left at once.

import { addressText, holds, readSubnet, type Subnet } from '#areas/networks/rules.ts'
import { mostAddresses } from '../rules.ts'

export type Scope = { targets: readonly string[]; exclusions: readonly string[]; ports: readonly number[]; names: readonly string[] }
export type ScopeFault = { code: 'notAllowed' | 'tooMany' | 'notANetwork' | 'badExclusion'; params: Record<string, string> }

/** A single address is a subnet of one. */
export function readTarget(text: string): { subnet: Subnet; fault?: undefined } | { subnet?: undefined; fault: string } {
  return readSubnet(text.includes('/') ? text : `${text}/${text.includes(':') ? 128 : 32}`)
}

/** Whether an address lies in one of these subnets. */
export function isCovered(address: string, targets: readonly string[]): boolean {
  const { subnet } = readTarget(address)
  return subnet !== undefined && targets.some((target) => holdsOf(readTarget(target).subnet, subnet))
}

const holdsOf = (outer: Subnet | undefined, inner: Subnet): boolean => outer !== undefined && holds(outer, inner)

type Settled = { ranges: Subnet[]; excluded: Subnet[]; ports: readonly number[]; names: readonly string[]; addresses: number }

/** Reads a scope; what is wrong with it is answered in the order in which somebody would mend it. */
export function readScope(
  scope: Scope,
  allowed: readonly string[],
): { settled: Settled; fault?: undefined } | { settled?: undefined; fault: ScopeFault } {
  const networks = allowed.flatMap((cidr) => readTarget(cidr).subnet ?? [])
  const ranges: Subnet[] = []
  for (const target of scope.targets) {
    const { subnet, fault } = readTarget(target)
    if (subnet === undefined) return { fault: { code: 'notANetwork', params: { target, reason: fault } } }
    if (subnet.last - subnet.first >= BigInt(mostAddresses)) return { fault: { code: 'tooMany', params: {} } }
    if (!networks.some((network) => holds(network, subnet))) return { fault: { code: 'notAllowed', params: { target } } }
    // One that lies in another is looked at once.
    if (!ranges.some((range) => holds(range, subnet))) {
      const outer = ranges.filter((range) => !holds(subnet, range))
      ranges.splice(0, ranges.length, ...outer, subnet)
    }
  }
  const excluded: Subnet[] = []
  for (const target of scope.exclusions) {
    const { subnet, fault } = readTarget(target)
    if (subnet === undefined) return { fault: { code: 'badExclusion', params: { target, reason: fault } } }
    excluded.push(subnet)
  }
  const addresses = ranges.reduce((sum, { first, last }) => sum + Number(last - first) + 1, 0)
  if (addresses > mostAddresses) return { fault: { code: 'tooMany', params: {} } }
  return { settled: { ranges, excluded, ports: scope.ports, names: ['', ...scope.names], addresses } }
}

/** `at`: where it stands in the list of all. */
export type Probe = { at: number; address: string; port: number; names: readonly string[] }

/** All probes of a scope are one list: each address with each port. */
export const countProbes = ({ addresses, ports }: Settled): number => addresses * ports.length

/** Those that are made: without what is left out. */
export function countProbed(settled: Settled): number {
  let out = 0n
  for (const range of settled.ranges) {
    let counted = range.first - 1n
    for (const one of settled.excluded.filter(({ family }) => family === range.family).toSorted((a, b) => (a.first < b.first ? -1 : 1))) {
      const [first, last] = [one.first > counted ? one.first : counted + 1n, one.last < range.last ? one.last : range.last]
      if (first > last) continue
      out += last - first + 1n
      counted = last
    }
  }
  return countProbes(settled) - Number(out) * settled.ports.length
}

/** A part of the list; what is excluded counts and is not probed. */
export function probesAt({ ranges, excluded, ports, names }: Settled, from: number, most: number): { probes: Probe[]; next: number } {
  const probes: Probe[] = []
  let skip = Math.floor(from / ports.length)
  let at = from
  for (const range of ranges) {
    const size = Number(range.last - range.first) + 1
    if (skip >= size) {
      skip -= size
      continue
    }
    for (let value = range.first + BigInt(skip); value <= range.last; value += 1n) {
      const out = excluded.some((one) => holds(one, { family: range.family, first: value, last: value }))
      for (const port of ports.slice(at % ports.length)) {
        if (at - from >= most) return { probes, next: at }
        if (!out) probes.push({ at, address: addressText(range.family, value), port, names })
        at += 1
      }
    }
    skip = 0
  }
  return { probes, next: at }
}
