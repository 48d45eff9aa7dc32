// Decisions about addresses and subnets, for the server and the console alike. Pure. An address is a number of 32 or 128 bits; a subnet is its first and last.

export type Family = 4 | 6
export type Subnet = { family: Family; first: bigint; last: bigint; prefixLength: number; text: string }
type Read = { subnet: Subnet; fault?: undefined } | { subnet?: undefined; fault: string }

export const subnetKinds = ['container', 'network', 'pool'] as const
export const addressStates = ['used', 'reserved', 'gateway', 'dhcp', 'seen'] as const
export type AddressState = (typeof addressStates)[number]
export const locationKinds = ['region', 'site', 'building', 'floor', 'room', 'rack'] as const
export const mostLevels = 12
export const mostAtOnce = 256
/** An address that was not seen for so many days is silent. */
export const silentDays = 30
/** A reservation that nobody uses ends after so many minutes. */
export const reservationMinutes = 15

export const bitsOf = (family: Family): number => (family === 4 ? 32 : 128)

/** Reads an IPv4 address of four plain decimal numbers: no zeros before them, nothing left out. */
function readIPv4(text: string): bigint | undefined {
  const parts = text.split('.')
  if (parts.length !== 4 || parts.some((part) => !/^(0|[1-9]\d{0,2})$/.test(part) || Number(part) > 255)) return undefined
  return parts.reduce((value, part) => (value << 8n) | BigInt(part), 0n)
}

function readIPv6(text: string): bigint | undefined {
  if (!/^[\da-f:.]+$/i.test(text) || !text.includes(':') || !URL.canParse(`http://[${text}]/`)) return undefined
  const [head = '', tail] = new URL(`http://[${text}]/`).hostname.slice(1, -1).split('::')
  const groups = (part: string | undefined) => (part === undefined || part === '' ? [] : part.split(':'))
  const [before, after] = [groups(head), groups(tail)]
  const all = [...before, ...Array.from({ length: 8 - before.length - after.length }, () => '0'), ...after]
  return all.reduce((value, group) => (value << 16n) | BigInt(`0x${group}`), 0n)
}

export function readAddress(text: string): { family: Family; value: bigint } | undefined {
  const four = readIPv4(text)
  if (four !== undefined) return { family: 4, value: four }
  const six = readIPv6(text)
  return six === undefined ? undefined : { family: 6, value: six }
}

export function addressText(family: Family, value: bigint): string {
  if (family === 4) return [24n, 16n, 8n, 0n].map((shift) => String((value >> shift) & 255n)).join('.')
  const groups = Array.from({ length: 8 }, (_, at) => ((value >> BigInt((7 - at) * 16)) & 0xffffn).toString(16))
  return new URL(`http://[${groups.join(':')}]/`).hostname.slice(1, -1)
}

/** The whole subnet of a length that an address lies in. */
export function subnetAt(family: Family, value: bigint, prefixLength: number): Subnet {
  const free = BigInt(bitsOf(family) - prefixLength)
  const first = (value >> free) << free
  return { family, first, last: first + (1n << free) - 1n, prefixLength, text: `${addressText(family, first)}/${prefixLength}` }
}

/** Reads a subnet in CIDR form. `families`: the specified field takes IPv4 alone. */
export function readSubnet(text: string, families: readonly Family[] = [4, 6]): Read {
  const [, host = '', length = ''] = /^([^/]+)\/(\d{1,3})$/.exec(text) ?? []
  const form = families.includes(6)
    ? 'Enter a subnet such as 10.0.0.0/8 or 2001:db8::/64'
    : 'Enter an IPv4 subnet in CIDR form, such as 10.0.0.0/8'
  const address = readAddress(host)
  if (address === undefined || !families.includes(address.family) || (length.length > 1 && length.startsWith('0'))) return { fault: form }
  if (Number(length) > bitsOf(address.family)) return { fault: `The length is at most ${bitsOf(address.family)}` }
  const subnet = subnetAt(address.family, address.value, Number(length))
  if (subnet.first !== address.value) return { fault: `The host bits must be zero. Did you mean ${subnet.text}?` }
  return { subnet }
}

export const holds = (outer: Pick<Subnet, 'family' | 'first' | 'last'>, inner: Pick<Subnet, 'family' | 'first' | 'last'>): boolean =>
  outer.family === inner.family && outer.first <= inner.first && inner.last <= outer.last

/** The addresses that can be given out: of IPv4 not the network's own and not broadcast, where there are more than two. */
export function usable({ family, first, last, prefixLength }: Subnet): { first: bigint; last: bigint } {
  return family === 4 && prefixLength < 31 ? { first: first + 1n, last: last - 1n } : { first, last }
}

/** How long the prefix of a cell of the map is: each address by itself, or 256 parts. */
export const cellLength = ({ family, prefixLength }: Pick<Subnet, 'family' | 'prefixLength'>): number =>
  Math.min(bitsOf(family), prefixLength + 8)

export type CellState = 'free' | 'used' | 'silent' | 'reserved' | 'unknown' | 'conflict'

/** What an address is on the map. `unknown`: seen, and nobody has written who it is. */
export function stateOf(
  { state, seenAt, mac, seenMac }: { state: AddressState; seenAt: Date | undefined; mac: string; seenMac: string },
  now: Date,
): CellState {
  if (state === 'seen') return 'unknown'
  if (mac !== '' && seenMac !== '' && mac !== seenMac) return 'conflict'
  if (state === 'reserved' && seenAt === undefined) return 'reserved'
  return seenAt === undefined || now.getTime() - seenAt.getTime() > silentDays * 86_400_000 ? 'silent' : 'used'
}
