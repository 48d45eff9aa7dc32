// Our verdict against that of `openssl verify -x509_strict` over some hundred generated estates, the same ones on every run. Each
// estate is right but for a few faults and features drawn for it. Where the two verdicts differ, the difference has to stand in
// the table below, with the clause that decides it; a row that no estate needs any more is an error as well.
import { execFile } from 'node:child_process'
import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import { afterAll, expect, test } from 'vitest'
import { parseCrl, type ParsedCrl } from '../crl/parse.ts'
import { octetString } from '../der/writer.ts'
import { encodePem } from '../pem/pem.ts'
import type { Extension } from '../x509/extension-types.ts'
import type { GeneralName } from '../x509/general-names.ts'
import { nameOf } from '../x509/names.ts'
import { opensslFolder } from '../x509/openssl-keys.fixture.ts'
import {
  AT,
  authority,
  ca,
  directory,
  dns,
  email,
  excluded,
  ip,
  leaf,
  mappings,
  newKey,
  permitted,
  policies,
  policyConstraints,
  purposes,
  resigned,
  revocationListDer,
  sans,
  uri,
  usage,
  type CertificateOrder,
  type Made,
} from './estate.fixture.ts'
import { referenceName } from './names.ts'
import { reportVerification } from './report.ts'
import { verifyCertificate, type VerificationInput } from './verify.ts'

/** Where we differ from OpenSSL 3.0, and why we do. `when` names the features of an estate, all of which it has. */
const DIFFERENCES: readonly { when: readonly Feature[]; ours: 'valid' | 'invalid'; openssl: RegExp; because: string }[] = [
  {
    when: ['leafAnyPurpose'],
    ours: 'valid',
    openssl: /unsuitable certificate purpose/,
    because:
      'RFC 5280 4.2.1.12: anyExtendedKeyUsage allows every purpose, and an application may ask for a particular one; for TLS and e-mail we take it, as Go and Windows do.',
  },
  {
    when: ['keyIdentifierOff'],
    ours: 'valid',
    openssl: /unable to get local issuer certificate/,
    because:
      'RFC 5280 6.1.3 checks names and signatures; the authority key identifier is there to find the issuer (4.2.1.1), which the signature proves.',
  },
  {
    when: ['askMail', 'leafUsage'],
    ours: 'valid',
    openssl: /unsuitable certificate purpose/,
    because:
      'RFC 8550 4.4.2: a key for e-mail may be for signatures or for encryption; OpenSSL has to be asked for one of them and was asked for signatures.',
  },
  {
    when: ['askStamps', 'leafStamps', 'issuerPurpose'],
    ours: 'invalid',
    openssl: /OK/,
    because:
      'RFC 5280 4.2.1.12 in the certificate of an authority limits what it may issue for; OpenSSL heeds it for TLS and e-mail, and not for time stamps.',
  },
  {
    when: ['selfIssued', 'staleList'],
    ours: 'invalid',
    openssl: /OK/,
    because:
      'RFC 5280 5.2.1: of two lists of one name we take that of the key that signed the certificate, though it is out of date; the list of a renewed key may leave out what the old one signed.',
  },
  {
    when: ['noNames', 'permitted'],
    ours: 'valid',
    openssl: /permitted subtree violation/,
    because:
      'RFC 9525 2: a common name is no host, and is never taken for one here; so constraints for hosts (RFC 5280 4.2.1.10) do not hold for it.',
  },
]

const FOLDER = opensslFolder()
afterAll(() => FOLDER.remove())

/** A stream of numbers that is the same on every run (mulberry32). */
function numbersFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

const DAY = 86_400_000
const before = new Date(AT.getTime() - 10 * DAY)
const after = new Date(AT.getTime() + 10 * DAY)
const KEYS: readonly KeyObject[] = Array.from({ length: 6 }, newKey)
const WEAK_KEY = generateKeyPairSync('rsa', { modulusLength: 1024 }).privateKey
const ANY = '2.5.29.32.0'

interface Draft {
  /** root first, leaf last */
  orders: CertificateOrder[]
  question: {
    purpose?: VerificationInput['purpose']
    name?: string
    policies?: string[]
    explicit?: true
    inhibitAny?: true
    inhibitMapping?: true
    lists?: true
  }
  /** beside the orders */
  mend: { unsign?: number; revoked?: number; stale?: number; missing?: number; foreignList?: number }
}

type Pick = <Item>(items: readonly Item[]) => Item
type Change = (draft: Draft, pick: Pick, at: number) => void

const add = (order: CertificateOrder | undefined, extension: Extension): void => {
  if (order !== undefined) order.extensions = [...(order.extensions ?? []).filter(({ type }) => type !== extension.type), extension]
}
const issuersOf = ({ orders }: Draft): CertificateOrder[] => orders.slice(0, -1)
const leafOf = ({ orders }: Draft): CertificateOrder | undefined => orders.at(-1)
const NAMES: readonly GeneralName[] = [
  dns('www.example.org'),
  dns('example.org'),
  dns('*.example.org'),
  dns('secret.example.org'),
  email('ada@example.org'),
  email('ada@mail.example.org'),
  uri('https://www.example.org/'),
  ip('192.0.2.7'),
  ip('2001:db8::7'),
  directory(['O', 'Verify'], ['CN', 'y']),
  directory(['O', 'Other']),
]
const BASES: readonly GeneralName[] = [
  dns('example.org'),
  dns('.example.org'),
  dns('www.example.org'),
  dns('example.com'),
  email('example.org'),
  email('.example.org'),
  email('ada@example.org'),
  uri('www.example.org'),
  uri('.example.org'),
  ip('192.0.2.0/255.255.255.0'),
  ip('10.0.0.0/255.0.0.0'),
  ip('2001:db8::/ffff:ffff::'),
  directory(['O', 'Verify']),
  directory(['O', 'Other']),
]
const POLICIES = ['1.3.1', '1.3.2', ANY]

/** What an estate may have, each drawn for the certificate at a place that the change chooses. */
const FEATURES = {
  leafExpired: (draft) => Object.assign(leafOf(draft) ?? {}, { to: before }),
  leafTooEarly: (draft) => Object.assign(leafOf(draft) ?? {}, { from: after }),
  issuerExpired: (draft, pick) => Object.assign(pick(issuersOf(draft)), { to: before }),
  issuerTooEarly: (draft, pick) => Object.assign(pick(issuersOf(draft)), { from: after }),
  noAuthority: (draft, pick) => add(pick(issuersOf(draft).slice(1)), { type: 'basicConstraints', critical: true, cA: false }),
  noCertSign: (draft, pick) => add(pick(issuersOf(draft)), usage('cRLSign')),
  pathLength: (draft, pick) => add(pick(issuersOf(draft)), ca(pick([0, 1, 2]))),
  selfIssued: (draft) => void draft.orders.splice(1, 0, { name: 'Root' }),
  unknownCritical: (draft, pick) =>
    add(pick(draft.orders), { type: 'unknown', oid: '1.2.3.4', critical: true, value: octetString(Uint8Array.of(1)) }),
  unknownUncritical: (draft, pick) =>
    add(pick(draft.orders), { type: 'unknown', oid: '1.2.3.4', critical: false, value: octetString(Uint8Array.of(1)) }),
  keyIdentifierOff: (draft, pick) =>
    add(pick(draft.orders.slice(1)), { type: 'authorityKeyIdentifier', critical: false, keyIdentifier: Uint8Array.of(1, 2, 3) }),
  weakLeafKey: (draft) => Object.assign(leafOf(draft) ?? {}, { key: WEAK_KEY }),
  unsigned: (draft, pick) => Object.assign(draft.mend, { unsign: pick(draft.orders.map((_, at) => at).slice(1)) }),
  missing: (draft, pick) => Object.assign(draft.mend, { missing: pick(draft.orders.map((_, at) => at).slice(1, -1)) }),
  leafNames: (draft, pick) => add(leafOf(draft), sans(pick(NAMES), pick(NAMES))),
  subjectMailbox: (draft) =>
    Object.assign(leafOf(draft) ?? {}, { name: nameOf(['O', 'Verify'], ['CN', 'x'], ['emailAddress', 'ada@example.org']) }),
  noNames: (draft) =>
    Object.assign(leafOf(draft) ?? {}, { without: ['subjectAltName'], name: nameOf(['O', 'Verify'], ['CN', 'www.example.com']) }),
  permitted: (draft, pick) => add(pick(issuersOf(draft)), permitted(pick(BASES), pick(BASES))),
  excluded: (draft, pick) => add(pick(issuersOf(draft)), excluded(pick(BASES))),
  askHost: ({ question }, pick) =>
    Object.assign(question, { name: pick(['www.example.org', 'example.org', 'WWW.EXAMPLE.ORG', 'a.b.example.org']) }),
  askAddress: ({ question }, pick) => Object.assign(question, { name: pick(['192.0.2.7', '2001:db8::7']) }),
  askMailbox: ({ question }) => Object.assign(question, { name: 'ada@example.org' }),
  askServer: ({ question }) => Object.assign(question, { purpose: 'serverAuth' }),
  askClient: ({ question }) => Object.assign(question, { purpose: 'clientAuth' }),
  askMail: ({ question }) => Object.assign(question, { purpose: 'emailProtection' }),
  askStamps: ({ question }) => Object.assign(question, { purpose: 'timeStamping' }),
  leafPurpose: (draft, pick) => add(leafOf(draft), purposes(pick(['serverAuth', 'clientAuth', 'emailProtection', 'codeSigning']))),
  leafAnyPurpose: (draft) => add(leafOf(draft), purposes('anyExtendedKeyUsage')),
  leafStamps: (draft) => add(leafOf(draft), { ...purposes('timeStamping'), critical: true }),
  leafUsage: (draft, pick) => add(leafOf(draft), usage(pick(['digitalSignature', 'keyEncipherment', 'keyAgreement', 'dataEncipherment']))),
  issuerPurpose: (draft, pick) => add(pick(issuersOf(draft).slice(1)), purposes(pick(['serverAuth', 'clientAuth', 'emailProtection']))),
  policies: (draft, pick) => {
    for (const order of draft.orders.slice(1)) add(order, policies(...new Set([pick(POLICIES), pick(POLICIES)])))
  },
  mappings: (draft, pick) => add(pick(issuersOf(draft).slice(1)), mappings(['1.3.1', pick(['1.3.2', '1.3.3'])])),
  requirePolicy: (draft, pick) => add(pick(draft.orders.slice(1)), policyConstraints({ requireExplicitPolicy: pick([0, 1, 3]) })),
  inhibitMapping: (draft, pick) => add(pick(issuersOf(draft).slice(1)), policyConstraints({ inhibitPolicyMapping: pick([0, 1]) })),
  inhibitAny: (draft, pick) => add(pick(issuersOf(draft).slice(1)), { type: 'inhibitAnyPolicy', critical: true, skipCerts: pick([0, 1]) }),
  askExplicit: ({ question }) => Object.assign(question, { explicit: true }),
  askPolicy: ({ question }, pick) => Object.assign(question, { explicit: true, policies: [pick(['1.3.1', '1.3.2'])] }),
  askNoAny: ({ question }) => Object.assign(question, { explicit: true, inhibitAny: true }),
  askNoMapping: ({ question }) => Object.assign(question, { explicit: true, inhibitMapping: true }),
  lists: ({ question }) => Object.assign(question, { lists: true }),
  revoked: ({ question, mend, orders }, pick) =>
    Object.assign(mend, { revoked: pick(orders.map((_, at) => at).slice(1)) }) && Object.assign(question, { lists: true }),
  staleList: ({ question, mend, orders }, pick) =>
    Object.assign(mend, { stale: pick(orders.map((_, at) => at).slice(1)) }) && Object.assign(question, { lists: true }),
  foreignList: ({ question, mend, orders }, pick) =>
    Object.assign(mend, { foreignList: pick(orders.map((_, at) => at).slice(1)) }) && Object.assign(question, { lists: true }),
} as const satisfies { readonly [name: string]: Change }
type Feature = keyof typeof FEATURES
const FEATURE_NAMES = Object.keys(FEATURES) as Feature[]

/** Features that are told by the same words: drawn together, so that they meet. */
const GROUPS: readonly (readonly Feature[])[] = [
  FEATURE_NAMES,
  ['leafNames', 'permitted', 'excluded', 'subjectMailbox', 'noNames', 'askHost', 'askAddress', 'askMailbox'],
  [
    'policies',
    'mappings',
    'requirePolicy',
    'inhibitMapping',
    'inhibitAny',
    'askExplicit',
    'askPolicy',
    'askNoAny',
    'askNoMapping',
    'selfIssued',
  ],
  ['askServer', 'askClient', 'askMail', 'askStamps', 'leafPurpose', 'leafAnyPurpose', 'leafStamps', 'leafUsage', 'issuerPurpose'],
  ['lists', 'revoked', 'staleList', 'foreignList', 'pathLength', 'selfIssued'],
]

interface Estate {
  features: Feature[]
  /** root first */
  made: Made[]
  question: Draft['question']
  missing: number | undefined
  lists: Uint8Array[]
}

/** With one feature only, or with those that the seed draws. */
async function estate(seed: number, only?: Feature): Promise<Estate> {
  const random = numbersFrom(seed)
  const pick: Pick = (items) => {
    const item = items[Math.floor(random() * items.length)]
    if (item === undefined) throw new Error('Nothing to pick from')
    return item
  }
  const between = pick([1, 1, 2, 3])
  const draft: Draft = {
    orders: ['Root', ...Array.from({ length: between }, (_, at) => `A${at}`), 'End'].map((name) => ({ name })),
    question: {},
    mend: {},
  }
  const group = pick(GROUPS)
  // In the order of the table, so that what a feature does to the chain is there when the next one picks from it.
  const drawn = new Set(Array.from({ length: pick(group === FEATURE_NAMES ? [1, 1, 2] : [2, 3, 4, 5]) }, () => pick(group)))
  if (group.includes('policies') && group !== FEATURE_NAMES) drawn.add('policies')
  const features = only === undefined ? FEATURE_NAMES.filter((name) => drawn.has(name)) : [only]
  for (const [at, name] of features.entries()) (FEATURES[name] as Change)(draft, pick, at)

  const made: Made[] = []
  for (const [at, order] of draft.orders.entries()) {
    const issuer = made.at(-1)
    const complete = { key: KEYS[at % KEYS.length] ?? newKey(), ...order, ...(issuer === undefined ? {} : { issuer }) }
    const one = at === draft.orders.length - 1 ? leaf(complete) : authority(complete)
    made.push(draft.mend.unsign === at ? resigned(one, newKey()) : one)
  }
  const lists: Uint8Array[] = []
  if (draft.question.lists === true) {
    for (const [at, issuer] of made.slice(0, -1).entries()) {
      const below = made[at + 1]
      const entries =
        draft.mend.revoked === at + 1 && below !== undefined
          ? [{ serialNumber: below.certificate.serialNumber, revocationDate: before }]
          : []
      const stale = draft.mend.stale === at + 1 ? { thisUpdate: new Date(AT.getTime() - 20 * DAY), nextUpdate: before } : {}
      const foreign = draft.mend.foreignList === at + 1 ? { signer: newKey() } : {}
      lists.push(await revocationListDer(issuer, { entries, ...stale, ...foreign }))
    }
  }
  return { features, made, question: draft.question, missing: draft.mend.missing, lists }
}

function ours({ made, question, missing, lists }: Estate): { verdict: 'valid' | 'invalid'; says: string } {
  const [root, ...rest] = made
  const end = rest.at(-1)
  if (root === undefined || end === undefined) throw new Error('An estate has at least two certificates')
  const crls: ParsedCrl[] = lists.map((list) => parseCrl(list))
  const input: VerificationInput = {
    at: AT,
    leaf: end.certificate,
    roots: [root.certificate],
    intermediates: made.filter((_, at) => at > 0 && at < made.length - 1 && at !== missing).map(({ certificate }) => certificate),
    crls,
    purpose: question.purpose ?? 'any',
    name: question.name === undefined ? undefined : referenceName(question.name),
    requireRevocationLists: question.lists ?? false,
    initialPolicies: question.policies,
    requireExplicitPolicy: question.explicit,
    inhibitAnyPolicy: question.inhibitAny,
    inhibitPolicyMapping: question.inhibitMapping,
  }
  const verification = verifyCertificate(input)
  return {
    verdict: verification.verdict,
    says: reportVerification(verification, input)
      .reasons.map(({ certificate, says }) => `${certificate}: ${says}`)
      .join(' '),
  }
}

const OPENSSL_PURPOSES = {
  serverAuth: 'sslserver',
  clientAuth: 'sslclient',
  emailProtection: 'smimesign',
  timeStamping: 'timestampsign',
} as const

function theirs({ made, question, missing, lists }: Estate, seed: number): Promise<{ verdict: string; says: string }> {
  const pem = (certificates: readonly Made[]) =>
    certificates.map(({ certificate }) => encodePem('CERTIFICATE', certificate.encoded)).join('')
  const file = (name: string, content: string): string => {
    FOLDER.write(`${seed}-${name}.pem`, content)
    return `${seed}-${name}.pem`
  }
  const name = question.name === undefined ? undefined : referenceName(question.name)
  const purpose = question.purpose as keyof typeof OPENSSL_PURPOSES | undefined
  const words = [
    'verify',
    '-x509_strict',
    '-auth_level',
    '2',
    '-no-CApath',
    '-no-CAstore',
    '-attime',
    String(AT.getTime() / 1000),
    '-CAfile',
    file('root', pem(made.slice(0, 1))),
    ...(made.length > 2
      ? ['-untrusted', file('middle', pem(made.filter((_, at) => at > 0 && at < made.length - 1 && at !== missing)))]
      : []),
    ...(purpose === undefined ? [] : ['-purpose', OPENSSL_PURPOSES[purpose]]),
    ...(name === undefined ? [] : [{ dns: '-verify_hostname', ip: '-verify_ip', email: '-verify_email' }[name.type], name.value]),
    '-policy_check',
    // Without any, OpenSSL takes the set of accepted policies for empty, where RFC 5280 6.1.1 (c) says any-policy.
    ...(question.policies ?? [ANY]).flatMap((policy) => ['-policy', policy]),
    ...(question.explicit === true ? ['-explicit_policy'] : []),
    ...(question.inhibitAny === true ? ['-inhibit_any'] : []),
    ...(question.inhibitMapping === true ? ['-inhibit_map'] : []),
    ...(question.lists === true
      ? ['-crl_check_all', '-CRLfile', file('lists', lists.map((list) => encodePem('X509 CRL', list)).join(''))]
      : []),
    file('leaf', pem(made.slice(-1))),
  ]
  return new Promise((resolve) => {
    execFile('openssl', words, { cwd: FOLDER.path }, (error, stdout, stderr) => {
      const errors = stderr.split('\n').filter((line) => line.startsWith('error '))
      resolve({ verdict: error === null ? 'valid' : 'invalid', says: errors.length > 0 ? errors.join(' ') : `${stdout}${stderr}`.trim() })
    })
  })
}

test('300 estates and one for each feature get the verdict of openssl, but for the differences in the table', async () => {
  const unexplained: string[] = []
  const used = new Set<number>()
  const verdicts = { valid: 0, invalid: 0 }
  const compare = async (seed: number, only?: Feature): Promise<void> => {
    const made = await estate(seed, only)
    const us = ours(made)
    const them = await theirs(made, seed)
    verdicts[us.verdict] += 1
    if (us.verdict === them.verdict) return
    const row = DIFFERENCES.findIndex(
      ({ when, ours: verdict, openssl }) =>
        verdict === us.verdict && when.every((feature) => made.features.includes(feature)) && openssl.test(them.says),
    )
    if (row === -1)
      unexplained.push(
        `${seed}: ${made.features.join(', ')} ${JSON.stringify(made.question)}: ours ${us.verdict} ${us.says}; openssl ${them.verdict} ${them.says}`,
      )
    else used.add(row)
  }
  await Promise.all(FEATURE_NAMES.map((only, at) => compare(at, only)))
  for (let seed = 1001; seed <= 1300; seed += 4) await Promise.all([0, 1, 2, 3].map((more) => compare(seed + more)))
  expect(unexplained).toEqual([])
  expect(DIFFERENCES.filter((_, row) => !used.has(row)).map(({ because }) => because)).toEqual([])
  // Neither verdict is rare, so that agreement means something.
  expect(Math.min(verdicts.valid, verdicts.invalid)).toBeGreaterThan(100)
})
