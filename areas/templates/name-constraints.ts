// Whether an authority, or one above it, may certify a name at all (RFC 5280 4.2.1.10). A certificate outside the constraints would be signed and then
// be refused by everybody who checks its chain.

import { parseCertificate } from '#standards/x509/certificate.ts'
import type { Extension } from '#standards/x509/extension-types.ts'
import { findExtension } from '#standards/x509/extensions.ts'
import { addressBytes, type GeneralName } from '#standards/x509/general-names.ts'

type Constrained = Extract<GeneralName, { type: 'dNSName' | 'rfc822Name' | 'uniformResourceIdentifier' | 'iPAddress' }>

const matchers: Record<Constrained['type'], (name: string, base: string) => boolean> = {
  dNSName: (name, base) => isUnder(name, base),
  rfc822Name: (name, base) => {
    const [address, constraint] = [name.toLowerCase(), base.toLowerCase()]
    if (constraint.includes('@')) return address === constraint
    const host = address.slice(address.lastIndexOf('@') + 1)
    return constraint.startsWith('.') ? host.endsWith(constraint) : host === constraint
  },
  uniformResourceIdentifier: (name, base) => {
    const host = URL.canParse(name) ? new URL(name).hostname.toLowerCase() : ''
    return base.startsWith('.') ? host.endsWith(base.toLowerCase()) : host === base.toLowerCase()
  },
  iPAddress: (name, base) => {
    const [address = '', mask = ''] = base.split('/')
    const [bytes, network, bits] = [addressBytes(name), addressBytes(address), addressBytes(mask)]
    return bytes.length === network.length && bytes.every((byte, at) => ((byte ^ (network[at] ?? 0)) & (bits[at] ?? 0)) === 0)
  },
}

/** `example.org` covers itself and everything below it; a wildcard is covered where the names it stands for are. */
function isUnder(name: string, base: string): boolean {
  const [asked, constraint] = [name.toLowerCase().replace(/^\*\./, ''), base.toLowerCase().replace(/^\./, '')]
  return constraint === '' || asked === constraint || asked.endsWith(`.${constraint}`)
}

const isConstrained = (name: GeneralName): name is Constrained => Object.hasOwn(matchers, name.type)
const covers = (base: GeneralName, name: Constrained): boolean => base.type === name.type && 'value' in base && typeof base.value === 'string' && matchers[name.type](name.value, base.value)

type Constraints = Extract<Extension, { type: 'nameConstraints' }>

/** Read once for a chain, for as long as its authority is held in memory. */
function constraintsOf(chain: readonly Uint8Array[]): readonly Constraints[] {
  let found = known.get(chain)
  if (found === undefined) known.set(chain, (found = chain.flatMap((der) => findExtension(parseCertificate(der).extensions, 'nameConstraints') ?? [])))
  return found
}
const known = new WeakMap<readonly Uint8Array[], readonly Constraints[]>()

/** A sentence for each name that an authority of the chain may not certify. */
export function constraintFaults(chain: readonly Uint8Array[], names: readonly GeneralName[]): string[] {
  const faults: string[] = []
  for (const constraints of constraintsOf(chain)) {
    for (const name of names.filter(isConstrained)) {
      const permitted = (constraints.permittedSubtrees ?? []).map(({ base }) => base).filter(({ type }) => type === name.type)
      const excluded = (constraints.excludedSubtrees ?? []).some(({ base }) => covers(base, name))
      if (excluded || (permitted.length > 0 && !permitted.some((base) => covers(base, name)))) faults.push(`"${name.value}" is outside the names that the authority may certify (its name constraints)`)
    }
  }
  return [...new Set(faults)]
}
