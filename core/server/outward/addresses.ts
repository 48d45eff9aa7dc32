// Judges addresses: which one a tenancy may have the server connect to. IPv6 forms that hold an IPv4 address are judged by the address inside, because a
// gateway on the way would unpack it.

import { BlockList, isIPv4, isIPv6 } from 'node:net'

export type Address = { text: string; family: 4 | 6 }

/** Reads an address in its usual spelling. Octal, hexadecimal and short forms are no addresses here: they are names, and judged after resolution. */
export function readAddress(text: string): Address | undefined {
  if (isIPv4(text)) return { text, family: 4 }
  if (!isIPv6(text) || text.includes('%')) return undefined
  const canonical = new URL(`http://[${text}]/`).hostname.slice(1, -1)
  const groups = groupsOf(canonical)
  // A mapped address is the IPv4 address itself: the system connects by IPv4.
  if (groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff)
    return { text: dotted(groups[6] ?? 0, groups[7] ?? 0), family: 4 }
  return { text: canonical, family: 6 }
}

function groupsOf(canonical: string): number[] {
  const [head = '', tail = ''] = canonical.split('::')
  const parse = (part: string) => (part === '' ? [] : part.split(':').map((group) => Number.parseInt(group, 16)))
  const [before, after] = [parse(head), parse(tail)]
  return [...before, ...Array.from({ length: 8 - before.length - after.length }, () => 0), ...after]
}

const dotted = (high: number, low: number): string => [high >> 8, high & 0xff, low >> 8, low & 0xff].join('.')

/** Lists the IPv4 addresses inside an IPv6 address: compatible, translated (RFC 6052, RFC 2765), 6to4, Teredo, ISATAP. */
function embeddedIn(text: string): Address[] {
  const g = groupsOf(text)
  const at = (index: number) => g[index] ?? 0
  const zero = (from: number, to: number) => g.slice(from, to).every((group) => group === 0)
  const inner: string[] = []
  if (zero(0, 6) || (zero(0, 4) && at(4) === 0xffff && at(5) === 0)) inner.push(dotted(at(6), at(7)))
  if (at(0) === 0x64 && at(1) === 0xff9b && zero(2, 6)) inner.push(dotted(at(6), at(7)))
  if (at(0) === 0x2002) inner.push(dotted(at(1), at(2)))
  if (at(0) === 0x2001 && at(1) === 0) inner.push(dotted(at(2), at(3)), dotted(at(6) ^ 0xffff, at(7) ^ 0xffff))
  const addresses = inner.map((address): Address => ({ text: address, family: 4 }))
  // ISATAP stands in any network, so the address is judged by its own as well.
  if ((at(4) & 0xfdff) === 0 && at(5) === 0x5efe) addresses.push({ text, family: 6 }, { text: dotted(at(6), at(7)), family: 4 })
  return addresses
}

/** Makes a list that can be asked. Each network is an address, or an address and the length of its prefix. Undefined where one is neither. */
export function readNetworks(networks: readonly string[]): BlockList | undefined {
  const list = new BlockList()
  for (const network of networks) {
    const [text = '', length, ...more] = network.split('/')
    const address = readAddress(text)
    if (address === undefined || more.length > 0) return undefined
    const family = familyOf(address)
    const longest = address.family === 4 ? 32 : 128
    if (length === undefined) list.addAddress(address.text, family)
    else if (/^\d{1,3}$/.test(length) && Number(length) <= longest) list.addSubnet(address.text, Number(length), family)
    else return undefined
  }
  return list
}

const familyOf = ({ family }: Address) => (family === 4 ? 'ipv4' : 'ipv6')
const holds = (list: BlockList, address: Address): boolean => list.check(address.text, familyOf(address))
const known = (...networks: string[]): BlockList => readNetworks(networks) ?? new BlockList()

/** Networks of an organisation: a tenancy may have some of them scanned, where it has been allowed to. */
const privateNetworks = known('10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10', 'fc00::/7')

/** IANA's special-purpose registries, beside the private networks. Of IPv6 only what is handed out for global unicast counts as public. */
const specialIPv4 = known(
  '0.0.0.0/8',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
)
const globalIPv6 = known('2000::/3')
const specialIPv6 = known('2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20')

/** Where clouds give out credentials to the machine itself. No setting opens them, because one wide network in a setting would give them all away. */
const metadata = known(
  '169.254.169.254',
  '169.254.169.253',
  '169.254.170.2',
  '169.254.170.23',
  '168.63.129.16',
  '100.100.100.200',
  '192.0.0.192',
  'fd00:ec2::254',
  'fd00:ec2::23',
  'fd20:ce::254',
)

const loopback = known('127.0.0.0/8', '0.0.0.0/8', '::1', '::')

export type Reach = {
  /** Opened by the installation, whatever they are. */
  allow: BlockList
  /** Closed by the installation, before all else. */
  deny: BlockList
  /** The addresses of this machine. */
  own: readonly string[]
  /** The ports at which this installation listens. */
  ownPorts: ReadonlySet<number>
}

export type Question = { address: Address; port: number; networks?: BlockList | undefined }

/** Decides on one address. With `networks` it must lie in one of them, and may be private. */
export function isOpen({ address, port, networks }: Question, { allow, deny, own, ownPorts }: Reach): boolean {
  const inner = address.family === 4 ? [] : embeddedIn(address.text)
  const all = [address, ...inner]
  const judged = inner.length === 0 ? [address] : inner
  if (all.some((one) => holds(metadata, one) || holds(deny, one))) return false
  const isOwn = all.some((one) => holds(loopback, one) || own.includes(one.text))
  if (isOwn && ownPorts.has(port)) return false
  if (networks !== undefined && !all.some((one) => holds(networks, one))) return false
  if (holds(allow, address) || judged.every((one) => holds(allow, one))) return true
  if (isOwn) return false
  return judged.every((one) => isPublic(one) || (networks !== undefined && holds(privateNetworks, one)))
}

const isPublic = (address: Address): boolean => {
  if (holds(privateNetworks, address)) return false
  return address.family === 4 ? !holds(specialIPv4, address) : holds(globalIPv6, address) && !holds(specialIPv6, address)
}
