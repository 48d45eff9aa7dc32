// What is decided about a directory without asking it: who is in a group, what a plan holds, and when the brake holds it.

export const mostGroupDepth = 32
/** More people than this share, or than this number, are not disabled without a person who says so. */
export const brakes = { percent: 5, people: 50, seenPercent: 80 } as const

/** One spelling of a distinguished name: case and spaces around commas and equals signs do not count. */
export const plainDn = (dn: string): string => dn.replaceAll(/\s*([,=+])\s*/g, '$1').toLowerCase()

/** Everybody in a group, also through groups in it. Groups may hold each other: each is gone into once, at most 32 deep. */
export function membersWithin(group: string, membersOf: ReadonlyMap<string, readonly string[]>): Set<string> {
  const people = new Set<string>()
  const visited = new Set<string>()
  let level = [plainDn(group)]
  for (let depth = 0; depth <= mostGroupDepth && level.length > 0; depth += 1) {
    const next: string[] = []
    for (const name of level) {
      if (visited.has(name)) continue
      visited.add(name)
      for (const member of membersOf.get(name) ?? []) {
        const plain = plainDn(member)
        if (membersOf.has(plain)) next.push(plain)
        else people.add(plain)
      }
    }
    level = next
  }
  return people
}

export type Counted = { seen: number; seenBefore: number; linked: number; missing: number }

/** Why a plan waits for a person; undefined where it need not. */
export function brakeFor({ seen, seenBefore, linked, missing }: Counted): string | undefined {
  if (seenBefore > 0 && seen * 100 < seenBefore * brakes.seenPercent) return `${seen} of ${seenBefore} people were seen`
  if (missing > brakes.people || (missing > 0 && missing * 100 > linked * brakes.percent))
    return `${missing} of ${linked} people would be disabled because the directory has them no more`
  return undefined
}

const uuid = (hex: string): string => hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')

/** A GUID as Windows writes it: its first three parts have their bytes reversed. */
export function guidOf(bytes: Uint8Array): string {
  const [a, b, c] = [bytes.subarray(0, 4), bytes.subarray(4, 6), bytes.subarray(6, 8)].map((part) =>
    Buffer.from(part).reverse().toString('hex'),
  )
  return uuid(`${a}${b}${c}${Buffer.from(bytes.subarray(8)).toString('hex')}`)
}

/** The bytes of a GUID that `guidOf` wrote. */
export function guidBytes(guid: string): Buffer {
  const bytes = Buffer.from(guid.replaceAll('-', ''), 'hex')
  for (const [from, to] of [
    [0, 4],
    [4, 6],
    [6, 8],
  ] as const)
    bytes.subarray(from, to).reverse()
  return bytes
}

/** Whether the changes of a domain can be read from where a plan stopped: the same count, by the same controller, that has not gone back. A restored one counts anew. */
export const countsOn = (before: { counter: string; changes: string }, now: { counter: string; changes: string }): boolean =>
  before.counter === now.counter && /^\d+$/.test(before.changes) && BigInt(now.changes) >= BigInt(before.changes)

/** A security identifier as text (MS-DTYP 2.4.2.4); undefined where it is none. */
export function sidOf(bytes: Uint8Array): string | undefined {
  const view = Buffer.from(bytes)
  const parts = view[1] ?? 0
  if (view[0] !== 1 || view.length !== 8 + 4 * parts) return undefined
  const numbers = Array.from({ length: parts }, (_, at) => view.readUInt32LE(8 + 4 * at))
  return ['S', 1, view.readUIntBE(2, 6), ...numbers].join('-')
}

const disabledBit = 2

/** Whether the directory says plainly that somebody may not sign in: Windows by a bit, OpenLDAP by a lock without end, 389 by a word. */
export const saysDisabled = (entry: { userAccountControl?: string; pwdAccountLockedTime?: string; nsAccountLock?: string }): boolean =>
  (Number(entry.userAccountControl ?? 0) & disabledBit) !== 0 ||
  entry.pwdAccountLockedTime === '000001010000Z' ||
  entry.nsAccountLock?.toLowerCase() === 'true'

/** A value inside a distinguished name (RFC 4514 2.4): what has a meaning there is written so that it has none. */
export const nameInDn = (value: string): string =>
  value
    .replaceAll(/[\\,+"<>;=]/g, (one) => `\\${one}`)
    .replaceAll('\u0000', '\\00')
    .replace(/^[ #]/, (one) => `\\${one}`)
    .replace(/ $/, '\\ ')

const endOfRdn = (dn: string): number => {
  for (let at = 0; at < dn.length; at += 1) {
    if (dn[at] === '\\') at += 1
    else if (dn[at] === ',') return at
  }
  return dn.length
}
export const rdnOf = (dn: string): string => dn.slice(0, endOfRdn(dn))
export const parentOf = (dn: string): string => dn.slice(endOfRdn(dn) + 1).trimStart()

/** Whether a name is that of a base or stands below it. */
export const isBelow = (dn: string, base: string): boolean => {
  const [plain, below] = [plainDn(dn), plainDn(base)]
  if (plain === below) return true
  for (let rest = plain; rest !== ''; rest = parentOf(rest)) if (rest === below) return true
  return false
}
