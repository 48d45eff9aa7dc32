// Name constraints (RFC 5280 4.2.1.10): what an authority's certificate permits and excludes, against the names of everything
// below it. Hosts are looked up by their suffixes and directory names by their beginnings, so that a name costs the same
// whether there are ten constraints or ten thousand; only address ranges are tried one by one, and counted as work. A name
// of a constrained form that cannot be compared is refused: what is not understood is not within anything.
import type { Certificate } from '../x509/certificate.ts'
import type { GeneralSubtree } from '../x509/extension-types.ts'
import { findExtension } from '../x509/extensions.ts'
import { addressBytes, formatAddress, generalNameText, otherNameText, type GeneralName } from '../x509/general-names.ts'
import { attributeValues, comparableName, formatName, type Name } from '../x509/names.ts'
import { OIDS } from '../x509/oids.ts'
import { fault, faultIn, some, type CertificateFault, type PathFault } from './fault.ts'
import { isSelfIssued, type Known } from './known.ts'
import { alternativeNames, hostOf, mailboxOf, uriHostOf } from './names.ts'
import { openWork, type Work } from './work.ts'

/** The faults of a path, leaf first and trust anchor last, by the constraints of each authority in it. Throws WorkExhausted. */
export function nameConstraintFaults(path: readonly Known[], work: Work): PathFault[] {
  const faults: PathFault[] = []
  for (let above = path.length - 1; above > 0; above -= 1) {
    const authority = path[above]
    if (authority === undefined) continue
    const constraints = constraintsOf(authority.certificate)
    if (constraints === undefined) continue
    for (const [at, below] of path.slice(0, above).entries()) {
      // RFC 5280 6.1.3 (b): a self-issued certificate in the middle renews a key and says nothing new.
      if (at > 0 && isSelfIssued(below)) continue
      for (const { code, says } of breachesOnce(constraints, below.certificate, authority.certificate, work))
        faults.push(faultIn(at, code, says))
    }
  }
  return faults
}

/** The names of a certificate: its subject, and its alternative names. */
export interface CertificateNames {
  subject: Name
  names: readonly GeneralName[]
}

/** What these authorities would have against the names of a certificate that is not made yet. Their constraints are trusted to be no flood. */
export function namesOutside(authorities: readonly Certificate[], names: CertificateNames): CertificateFault[] {
  const work = openWork({ nameComparisons: Number.POSITIVE_INFINITY })
  return authorities.flatMap((authority) => {
    const constraints = constraintsOf(authority)
    return constraints === undefined ? [] : breaches(constraints, names, formatName(authority.subject), work)
  })
}

/** What is wrong with the constraints themselves, such as an address range that is none. */
export function malformedConstraints(certificate: Certificate): readonly CertificateFault[] {
  return constraintsOf(certificate)?.malformed ?? []
}

/** A set of subtrees of one form. */
interface Subtrees {
  count: number
  /** hosts that are in it themselves */
  hosts: Set<string>
  /** hosts below which all is in it; `` is everything */
  below: Set<string>
  /** the parents of `hosts`, which a wildcard stands for */
  parents: Set<string>
  mailboxes: Set<string>
  ranges: { address: Uint8Array; mask: Uint8Array }[]
  /** by the number of relative names, so that a name is looked up once for each number */
  directories: Map<number, Set<string>>
}

type Form = 'dNSName' | 'rfc822Name' | 'uniformResourceIdentifier' | 'iPAddress' | 'directoryName'
/** Of one look-up, in units of an address and a range. */
const COSTS: { readonly [form in Form]: number } = {
  dNSName: 10,
  rfc822Name: 20,
  uniformResourceIdentifier: 20,
  iPAddress: 1,
  directoryName: 40,
}
const FORM_NAMES: { readonly [form in Form]: string } = {
  dNSName: 'host',
  rfc822Name: 'e-mail address',
  uniformResourceIdentifier: 'address',
  iPAddress: 'IP address',
  directoryName: 'directory name',
}

interface Constraints {
  permitted: Map<Form, Subtrees>
  excluded: Map<Form, Subtrees>
  /** forms that we cannot compare: a name of such a form is refused (RFC 5280 4.2.1.10) */
  unsupported: Set<string>
  malformed: CertificateFault[]
  /** what was found before; a certificate stands under the same authority in many paths */
  judged: WeakMap<Certificate, CertificateFault[]>
}

const compiled = new WeakMap<Certificate, Constraints>()

function constraintsOf(certificate: Certificate): Constraints | undefined {
  const extension = findExtension(certificate.extensions, 'nameConstraints')
  if (extension === undefined) return undefined
  let constraints = compiled.get(certificate)
  if (constraints === undefined) {
    constraints = { permitted: new Map(), excluded: new Map(), unsupported: new Set(), malformed: [], judged: new WeakMap() }
    for (const subtree of extension.permittedSubtrees ?? []) addSubtree(constraints, constraints.permitted, subtree)
    for (const subtree of extension.excludedSubtrees ?? []) addSubtree(constraints, constraints.excluded, subtree)
    compiled.set(certificate, constraints)
  }
  return constraints
}

function addSubtree(
  { unsupported, malformed }: Constraints,
  into: Map<Form, Subtrees>,
  { base, minimum = 0, maximum }: GeneralSubtree,
): void {
  if (minimum !== 0 || maximum !== undefined) return void malformed.push(malformedConstraint(base, 'sets a minimum or maximum'))
  if (!isForm(base.type)) return void unsupported.add(unsupportedKey(base))
  let subtrees = into.get(base.type)
  if (subtrees === undefined) {
    subtrees = {
      count: 0,
      hosts: new Set(),
      below: new Set(),
      parents: new Set(),
      mailboxes: new Set(),
      ranges: [],
      directories: new Map(),
    }
    into.set(base.type, subtrees)
  }
  subtrees.count += 1
  if (!addBase(subtrees, base)) malformed.push(malformedConstraint(base, 'is malformed'))
}

function malformedConstraint(base: GeneralName, how: string): CertificateFault {
  return fault('constraintMalformed', `Its name constraint ${some([generalNameText(base, formatName)])} ${how}.`)
}

/** False for a base that is malformed. */
function addBase(subtrees: Subtrees, base: GeneralName): boolean {
  switch (base.type) {
    case 'dNSName':
      return addHost(subtrees, base.value, true)
    case 'uniformResourceIdentifier':
      return addHost(subtrees, base.value, false)
    case 'rfc822Name': {
      if (!base.value.includes('@')) return addHost(subtrees, base.value, false)
      const mailbox = mailboxOf(base.value)
      if (mailbox !== undefined) subtrees.mailboxes.add(`${mailbox.local}@${mailbox.host}`)
      return mailbox !== undefined
    }
    case 'iPAddress': {
      const [address = '', mask = ''] = base.value.split('/')
      const range = { address: addressBytes(address), mask: addressBytes(mask) }
      if (!isPrefix(range.mask)) return false
      subtrees.ranges.push({ ...range, address: range.address.map((byte, at) => byte & (range.mask[at] ?? 0)) })
      return true
    }
    case 'directoryName': {
      const known = subtrees.directories.get(base.name.length)
      const text = comparableName(base.name)
      if (known === undefined) subtrees.directories.set(base.name.length, new Set([text]))
      else known.add(text)
      return true
    }
    default:
      return false
  }
}

/** `.example.org` is what lies below; `example.org` the host, and for DNS what lies below it too; nothing is everything. */
function addHost(subtrees: Subtrees, value: string, andBelow: boolean): boolean {
  if (value === '') return Boolean(subtrees.below.add(''))
  const host = hostOf(value.replace(/^\./, ''))
  if (host === undefined) return false
  if (value.startsWith('.') || andBelow) subtrees.below.add(host)
  if (!value.startsWith('.')) {
    subtrees.hosts.add(host)
    subtrees.parents.add(host.slice(host.indexOf('.') + 1))
  }
  return true
}

/** RFC 4632: ones, then zeros. */
function isPrefix(mask: Uint8Array): boolean {
  const bits = [...mask].map((byte) => byte.toString(2).padStart(8, '0')).join('')
  return /^1*0*$/.test(bits)
}

function isForm(type: string): type is Form {
  return Object.hasOwn(FORM_NAMES, type)
}

function unsupportedKey(name: GeneralName): string {
  return name.type === 'otherName' ? `otherName ${name.typeId}` : name.type
}

/** One name of a certificate: its form, its text for people and how it is found in a set; undefined where it is malformed. */
interface Subject {
  form: Form
  text: string
  in: ((subtrees: Subtrees, excluding: boolean, work: Work) => boolean) | undefined
}

const MOST_FAULTS = 3

function breachesOnce(constraints: Constraints, certificate: Certificate, authority: Certificate, work: Work): CertificateFault[] {
  let found = constraints.judged.get(certificate)
  if (found === undefined)
    constraints.judged.set(
      certificate,
      (found = breaches(
        constraints,
        { subject: certificate.subject, names: alternativeNames(certificate) },
        formatName(authority.subject),
        work,
      )),
    )
  return found
}

function breaches(constraints: Constraints, certificate: CertificateNames, issuer: string, work: Work): CertificateFault[] {
  const faults: CertificateFault[] = []
  for (const name of certificate.names) {
    if (!constraints.unsupported.has(unsupportedKey(name))) continue
    faults.push(
      fault(
        'nameUnchecked',
        `${issuer} constrains names of the form ${name.type} in a way that cannot be checked, and it has such a name.`,
      ),
    )
    break
  }
  for (const subject of subjects(certificate)) {
    if (faults.length >= MOST_FAULTS) break
    const found = breach(constraints, subject, issuer, work)
    if (found !== undefined) faults.push(found)
  }
  return faults
}

function breach({ permitted, excluded }: Constraints, subject: Subject, issuer: string, work: Work): CertificateFault | undefined {
  const mayBe = permitted.get(subject.form)
  const mayNot = excluded.get(subject.form)
  if (mayBe === undefined && mayNot === undefined) return undefined
  work.spend('nameComparisons', COSTS[subject.form])
  const what = `The ${FORM_NAMES[subject.form]} ${some([subject.text])}`
  if (subject.in === undefined) return fault('nameUnchecked', `${what} cannot be compared with the constraints of ${issuer}.`)
  if (mayNot !== undefined && subject.in(mayNot, true, work)) return fault('nameExcluded', `${what} is excluded by ${issuer}.`)
  if (mayBe !== undefined && !subject.in(mayBe, false, work))
    return fault('nameNotPermitted', `${what} is not among those that ${issuer} permits.`)
  return undefined
}

function* subjects({ subject, names }: CertificateNames): Generator<Subject> {
  if (subject.length > 0) yield directorySubject(subject)
  // Stricter than RFC 5280 4.2.1.10, which asks for it only where there is no subjectAltName.
  for (const value of attributeValues(subject, OIDS.emailAddress)) yield mailboxSubject(value)
  for (const name of names) {
    switch (name.type) {
      case 'dNSName':
        yield hostSubject(name.type, name.value, hostOf(name.value, true))
        break
      case 'uniformResourceIdentifier':
        yield hostSubject(name.type, name.value, uriHostOf(name.value))
        break
      case 'rfc822Name':
        yield mailboxSubject(name.value)
        break
      case 'otherName':
        // RFC 9598 6: the constraints for e-mail addresses hold for those beyond ASCII, too.
        if (name.typeId === OIDS.smtpUtf8Mailbox) yield mailboxSubject(otherNameText(name) ?? '')
        break
      case 'iPAddress':
        yield addressSubject(addressBytes(name.value))
        break
      case 'directoryName':
        yield directorySubject(name.name)
        break
      default:
    }
  }
}

function hostSubject(form: Form, text: string, host: string | undefined): Subject {
  return { form, text, in: host === undefined ? undefined : (subtrees, excluding) => hostIn(host, subtrees, excluding) }
}

function hostIn(host: string, { hosts, below, parents }: Subtrees, excluding: boolean): boolean {
  if (hosts.has(host) || below.has('')) return true
  for (let dot = host.indexOf('.'); dot !== -1; dot = host.indexOf('.', dot + 1)) if (below.has(host.slice(dot + 1))) return true
  // A wildcard is out of bounds as soon as one of the hosts it stands for is.
  return excluding && host.startsWith('*.') && parents.has(host.slice(2))
}

function mailboxSubject(text: string): Subject {
  const mailbox = mailboxOf(text)
  return {
    form: 'rfc822Name',
    text,
    in:
      mailbox &&
      ((subtrees, excluding) => subtrees.mailboxes.has(`${mailbox.local}@${mailbox.host}`) || hostIn(mailbox.host, subtrees, excluding)),
  }
}

function addressSubject(address: Uint8Array): Subject {
  return {
    form: 'iPAddress',
    text: formatAddress(address),
    in: ({ ranges }, _, work) => {
      work.spend('nameComparisons', ranges.length)
      return ranges.some(
        ({ address: base, mask }) =>
          base.length === address.length && base.every((byte, at) => byte === ((address[at] ?? 0) & (mask[at] ?? 0))),
      )
    },
  }
}

/** A name of more relative names than this is a flood, and no constraint is that deep. */
const LONGEST_NAME = 200

function directorySubject(name: Name): Subject {
  return {
    form: 'directoryName',
    text: formatName(name),
    in:
      name.length > LONGEST_NAME
        ? undefined
        : ({ directories }, _, work) => {
            for (const [length, bases] of directories) {
              work.spend('nameComparisons', 5 * Math.min(length, name.length))
              if (length <= name.length && bases.has(comparableName(name.slice(0, length)))) return true
            }
            return false
          },
  }
}
