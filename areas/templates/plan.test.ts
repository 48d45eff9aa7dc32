import { describe, expect, test } from 'vitest'
import { omitted } from './omitted.ts'
import { askedValues, keyUsagesFor, planCertificate, type PlannedTemplate, type RequestedDetails, type Wish } from './plan.ts'
import { templatePresets } from './presets.ts'
import type { Extensions, Rules } from './rules.ts'

const preset = (name: string): PlannedTemplate => {
  const found = templatePresets.find(({ templateName }) => templateName === name)
  if (found === undefined) throw new Error(name)
  return found
}
const change = (template: PlannedTemplate, extensions: Partial<Extensions>, rules: Partial<Rules> = {}): PlannedTemplate => ({
  ...template,
  extensions: { ...template.extensions, ...extensions },
  rules: { ...template.rules, ...rules },
})

const csr = (details: Partial<RequestedDetails> = {}): RequestedDetails => ({
  subject: [{ field: 'CN', value: 'www.example.org' }],
  sans: [{ field: 'DNS', value: 'www.example.org' }],
  keyUsages: [],
  extendedUsages: [],
  certificateAuthority: false,
  otherExtensions: [],
  ...details,
})
const wish = (more: Partial<Wish> = {}): Wish => ({ entity: 'device', key: 'P-256', keyText: 'EC P-256', record: {}, typed: {}, ...more })
const server = preset('TLSServer')
const person = preset('User')
const strict = change(server, { namesWithoutPlace: 'REFUSE' })
const ada = { CommonName: ['Ada Lovelace'], Email: ['ada@example.org'] }

const draftOf = (template: PlannedTemplate, asked: Wish) => {
  const plan = planCertificate(template, asked)
  if ('faults' in plan) throw new Error(JSON.stringify(plan.faults))
  return plan.draft
}
const faultsOf = (template: PlannedTemplate, asked: Wish) => {
  const plan = planCertificate(template, asked)
  return 'faults' in plan ? plan.faults.map(({ field, says }) => ({ field, says })) : []
}

describe('a template that reads CSRs', () => {
  test('takes the names of the request that it has a place for', () => {
    const draft = draftOf(
      server,
      wish({
        csr: csr({
          sans: [
            { field: 'DNS', value: 'WWW.example.org' },
            { field: 'IP', value: '192.0.2.1' },
          ],
        }),
      }),
    )
    expect(draft).toEqual({
      subject: [{ field: 'CN', value: 'www.example.org' }],
      sans: [
        { sanField: 'DNS', value: 'www.example.org' },
        { sanField: 'IP', value: '192.0.2.1' },
      ],
      keyUsages: ['digitalSignature'],
      extendedUsages: ['serverAuth'],
    })
  })

  test.each([
    ['CA:TRUE', { certificateAuthority: true }, 'CA:TRUE'],
    ['certificate signing', { keyUsages: ['keyCertSign'] }, 'keyCertSign'],
    ['a usage that it does not give', { keyUsages: ['digitalSignature', 'nonRepudiation'] }, 'Non-repudiation'],
    ['a purpose that it does not give', { extendedUsages: ['serverAuth', 'codeSigning'] }, 'Code signing'],
    ['an unknown purpose', { extendedUsages: ['1.2.3.4'] }, '1.2.3.4'],
    ['an extension that it does not give', { otherExtensions: ['nameConstraints'] }, 'nameConstraints'],
    [
      'a subject attribute without a place',
      {
        subject: [
          { field: 'CN', value: 'www.example.org' },
          { field: 'O', value: 'Somebody else' },
        ],
      },
      'O=Somebody else',
    ],
    [
      'a name form without a place',
      {
        sans: [
          { field: 'DNS', value: 'www.example.org' },
          { field: 'RFC822', value: 'ada@example.org' },
        ],
      },
      'RFC822',
    ],
    ['a malformed name', { sans: [{ field: 'DNS', value: 'bad name_!!' }] }, 'bad name_!!'],
    [
      'a wildcard',
      {
        sans: [
          { field: 'DNS', value: 'www.example.org' },
          { field: 'DNS', value: '*.example.org' },
        ],
      },
      'wildcard',
    ],
    ['a common name that is none of the names', { subject: [{ field: 'CN', value: 'other.example.org' }] }, 'common name'],
  ] as const)('refuses %s with its own reason, at the CSR', (_what, details, says) => {
    const faults = faultsOf(strict, wish({ csr: csr(structuredClone(details) as Partial<RequestedDetails>) }))
    expect(faults.length).toBeGreaterThan(0)
    expect(faults.every(({ field }) => field === 'csr')).toBe(true)
    expect(faults.map((fault) => fault.says).join(' ')).toContain(says)
  })

  const usual = csr({
    subject: [
      { field: 'C', value: 'AU' },
      { field: 'ST', value: 'ACT' },
      { field: 'L', value: 'Canberra' },
      { field: 'O', value: 'Example Pty Ltd' },
      { field: 'OU', value: 'IT' },
      { field: 'CN', value: 'www.example.org' },
    ],
    sans: [
      { field: 'DNS', value: 'www.example.org' },
      { field: 'RFC822', value: 'ops@example.org' },
    ],
  })

  test('leaves out the names that it has no place for, where it says so, and names them', () => {
    const draft = draftOf(server, wish({ csr: usual }))
    expect(draft.subject).toEqual([{ field: 'CN', value: 'www.example.org' }])
    expect(draft.sans).toEqual([{ sanField: 'DNS', value: 'www.example.org' }])
    expect(omitted(usual, draft, 'certificate').map(({ message }) => message)).toEqual([
      'The request names ops@example.org, C=AU, ST=ACT, L=Canberra, O=Example Pty Ltd and 1 more, which the certificate leaves out',
    ])
    expect(faultsOf(change(server, { namesWithoutPlace: undefined }), wish({ csr: usual }))).toHaveLength(6)
  })

  test('takes organisation, unit, locality, state, country, title and serial number where it says so, checked like the others', () => {
    const full = change(strict, {
      certificateSans: [{ sanField: 'DNS', fieldValue: 'DNS' }],
      certificateSubjects: [
        { subjectField: 'CN', fieldValue: 'CommonName' },
        { subjectField: 'O', fieldValue: 'Organisation' },
        { subjectField: 'OU', fieldValue: 'OrganisationalUnit' },
        { subjectField: 'L', fieldValue: 'Locality' },
        { subjectField: 'ST', fieldValue: 'StateOrProvince' },
        { subjectField: 'C', fieldValue: 'Country' },
        { subjectField: 'title', fieldValue: 'Title' },
        { subjectField: 'serialNumber', fieldValue: 'SerialNumber' },
      ],
    })
    const asked = (more: Record<string, string>, units: string[] = ['IT', 'Web']) =>
      wish({
        csr: csr({
          subject: [
            ...Object.entries({ CN: 'www.example.org', serialNumber: 'SN-1', ...more }).map(([field, value]) => ({ field, value })),
            ...units.map((value) => ({ field: 'OU', value })),
          ],
        }),
      })
    const all = { O: 'Example Pty Ltd', L: 'Canberra', ST: 'ACT', C: 'AU', title: 'Web server' }
    expect(draftOf(full, asked(all)).subject.map(({ field, value }) => `${field}=${value}`)).toEqual([
      'CN=www.example.org',
      'O=Example Pty Ltd',
      'OU=IT',
      'OU=Web',
      'L=Canberra',
      'ST=ACT',
      'C=AU',
      'title=Web server',
      'serialNumber=SN-1',
    ])
    // What the request does not name is left out; only the serial number must be there.
    expect(draftOf(full, asked({}, [])).subject.map(({ field }) => field)).toEqual(['CN', 'serialNumber'])
    expect(
      askedValues(full, 'device')
        .filter(({ required }) => required)
        .map(({ source }) => source),
    ).toEqual(['SerialNumber', 'DNS'])
    expect(askedValues(full, 'device').find(({ source }) => source === 'OrganisationalUnit')).toMatchObject({ many: true })
    for (const [wrong, says] of [
      [{ C: 'Australia' }, 'two capital letters'],
      [{ O: 'x'.repeat(65) }, 'at most 64'],
      [{ O: 'Ex\u0430mple' }, 'different alphabets'],
      [{ L: 'a\u0000b' }, 'NUL character'],
    ] as const)
      expect(faultsOf(full, asked({ ...all, ...wrong }))).toContainEqual({ field: 'csr', says: expect.stringContaining(says) })
    expect(faultsOf(full, asked(all, ['1', '2', '3', '4', '5']))[0]?.says).toContain('at most 4 times')
    expect(faultsOf(full, { ...asked(all), typed: { Country: ['au'] } })[0]).toMatchObject({ field: 'values.Country' })
  })

  test('refuses names outside the allowed domains, of the request and typed alike', () => {
    const own = change(server, {}, { allowedDomains: ['*.acme.test'] })
    expect(faultsOf(own, wish({ csr: csr() }))[0]).toMatchObject({ field: 'csr', says: expect.stringContaining('*.acme.test') })
    expect(faultsOf(own, wish({ csr: csr({ subject: [], sans: [] }), typed: { DNS: ['evil.test'] } }))[0]).toMatchObject({
      field: 'values.DNS',
      says: expect.stringContaining('evil.test'),
    })
    expect(draftOf(own, wish({ csr: csr({ subject: [], sans: [] }), typed: { DNS: ['a.acme.test'] } })).subject).toEqual([
      { field: 'CN', value: 'a.acme.test' },
    ])
  })

  test('refuses an e-mail address of another domain in the subject of a device', () => {
    const mailed = change(
      server,
      { certificateSubjects: [...server.extensions.certificateSubjects, { subjectField: 'emailAddress', fieldValue: 'Email' }] },
      { allowedDomains: ['example.org'] },
    )
    const asked = (address: string) =>
      wish({
        csr: csr({
          subject: [
            { field: 'CN', value: 'example.org' },
            { field: 'emailAddress', value: address },
          ],
          sans: [{ field: 'DNS', value: 'example.org' }],
        }),
      })
    expect(faultsOf(mailed, asked('root@evil.test'))).toEqual([
      { field: 'csr', says: expect.stringContaining('"root@evil.test" is outside the names that this template allows') },
    ])
    expect(draftOf(mailed, asked('root@example.org')).subject).toContainEqual({ field: 'emailAddress', value: 'root@example.org' })
  })

  test('holds addresses to its networks; where it names domains and no networks, it takes none', () => {
    const asked = (value: string) =>
      wish({
        csr: csr({
          sans: [
            { field: 'DNS', value: 'www.example.org' },
            { field: 'IP', value },
          ],
        }),
      })
    const limited = change(server, {}, { allowedDomains: ['www.example.org'] })
    expect(faultsOf(limited, asked('10.1.2.3'))).toEqual([{ field: 'csr', says: expect.stringContaining('in its domains only') }])
    const networks = change(server, {}, { allowedDomains: ['www.example.org'], allowedAddresses: ['10.1.0.0/16', '2001:db8::/32'] })
    expect(draftOf(networks, asked('10.1.2.3')).sans).toContainEqual({ sanField: 'IP', value: '10.1.2.3' })
    expect(draftOf(networks, asked('2001:db8::1')).sans).toContainEqual({ sanField: 'IP', value: '2001:db8::1' })
    for (const other of ['10.2.2.3', '2001:db9::1', '::10.1.2.3'])
      expect(faultsOf(networks, asked(other))[0]?.says).toContain('is outside the networks that this template allows: 10.1.0.0/16')
    const client = change(limited, { extendedUsages: ['clientAuth'] })
    expect(faultsOf(client, wish({ csr: csr({ subject: [{ field: 'CN', value: '10.9.9.9' }] }) }))).toEqual([
      { field: 'csr', says: expect.stringContaining('"10.9.9.9" is an address') },
    ])
  })

  test('accepts a fixed value only as the template says it', () => {
    const fixed = change(server, {
      certificateSubjects: [...server.extensions.certificateSubjects, { subjectField: 'O', fieldValue: 'Acme' }],
    })
    const subject = (organisation: string) => [
      { field: 'CN', value: 'www.example.org' },
      { field: 'O', value: organisation },
    ]
    expect(draftOf(fixed, wish({ csr: csr({ subject: subject('Acme') }) })).subject).toContainEqual({ field: 'O', value: 'Acme' })
    expect(faultsOf(fixed, wish({ csr: csr({ subject: subject('Evil') }) }))[0]?.says).toContain('the template says O=Acme')
  })

  test('refuses more names than the template allows', () => {
    const sans = Array.from({ length: 21 }, (_, at) => ({ field: 'DNS' as const, value: `h${at}.example.org` }))
    expect(
      faultsOf(server, wish({ csr: csr({ subject: [], sans }) }))
        .map(({ says }) => says)
        .join(),
    ).toContain('At most 20 names')
  })

  test('takes names that are as long as typed ones may be, and no longer', () => {
    const named = change(server, { certificateSubjects: [], certificateSans: [{ sanField: 'URI', fieldValue: 'URI' }] })
    const asked = (length: number) =>
      wish({ csr: csr({ subject: [], sans: [{ field: 'URI', value: 'https://example.org/'.padEnd(length, 'x') }] }) })
    expect(draftOf(named, asked(300)).sans).toHaveLength(1)
    expect(faultsOf(named, asked(301))).toEqual([
      { field: 'csr', says: expect.stringMatching(/^"https:.* has 301 characters\. A name has at most 300$/) },
    ])
  })
})

describe('a template that ignores the details of CSRs', () => {
  const deaf = change(server, { ignoreCsrDetails: true })

  test('takes only the key: the names are typed', () => {
    expect(draftOf(deaf, wish({ csr: csr(), typed: { DNS: ['typed.example.org'] } })).sans).toEqual([
      { sanField: 'DNS', value: 'typed.example.org' },
    ])
    expect(faultsOf(deaf, wish({ csr: csr() }))).toEqual([
      { field: 'values.DNS', says: 'Enter the DNS name: the template does not read names from the request' },
    ])
  })

  test('passes over what it does not give, and says so', () => {
    const plan = planCertificate(
      deaf,
      wish({ csr: csr({ keyUsages: ['nonRepudiation'], otherExtensions: ['tlsFeature'] }), typed: { DNS: ['a.example.org'] } }),
    )
    expect(plan.findings.map(({ code, severity }) => `${severity} ${code}`)).toEqual(['warn csrDetailIgnored', 'warn csrDetailIgnored'])
    expect('draft' in plan && plan.draft.keyUsages).toEqual(['digitalSignature'])
  })

  test.each([{ certificateAuthority: true }, { keyUsages: ['keyCertSign'] }, { keyUsages: ['cRLSign'] }])(
    'still refuses an authority: %j',
    (details) => {
      expect(faultsOf(deaf, wish({ csr: csr(details), typed: { DNS: ['a.example.org'] } }))[0]?.field).toBe('csr')
    },
  )
})

describe('a certificate of a person', () => {
  test('carries what the record says', () => {
    expect(draftOf(person, wish({ entity: 'user', key: 'RSA-2048', record: ada }))).toEqual({
      subject: [{ field: 'CN', value: 'Ada Lovelace' }],
      sans: [{ sanField: 'RFC822', value: 'ada@example.org' }],
      keyUsages: ['digitalSignature', 'keyEncipherment'],
      extendedUsages: ['clientAuth', 'emailProtection'],
    })
  })

  test('cannot name somebody else, typed or in a CSR', () => {
    expect(faultsOf(person, wish({ entity: 'user', record: ada, typed: { Email: ['boss@example.org'] } }))[0]).toMatchObject({
      field: 'values.Email',
      says: expect.stringContaining('boss@example.org'),
    })
    const reading = change(person, { ignoreCsrDetails: false })
    const foreign = csr({ subject: [{ field: 'CN', value: 'Ada Lovelace' }], sans: [{ field: 'RFC822', value: 'boss@example.org' }] })
    expect(faultsOf(reading, wish({ entity: 'user', record: ada, csr: foreign }))[0]).toMatchObject({
      field: 'csr',
      says: expect.stringContaining('boss@example.org'),
    })
  })

  test('needs a record that has what the template puts in', () => {
    expect(faultsOf(person, wish({ entity: 'user', record: { CommonName: ['Ada Lovelace'] } }))).toEqual([
      { field: 'userId', says: "The person's record has no e-mail address, which the template puts into the certificate" },
    ])
  })

  test('is not made from a template for devices, nor the other way', () => {
    expect(faultsOf(server, wish({ entity: 'user', record: ada, typed: { DNS: ['a.example.org'] } })).map(({ field }) => field)).toContain(
      'templateId',
    )
    expect(
      faultsOf(person, wish({ entity: 'device', typed: { CommonName: ['x'], Email: ['a@example.org'] } })).map(({ field }) => field),
    ).toContain('templateId')
  })
})

describe('the key', () => {
  test.each([
    ['RSA-2048', ['digitalSignature', 'keyEncipherment']],
    ['P-256', ['digitalSignature', 'keyAgreement']],
    ['Ed25519', ['digitalSignature']],
    ['ML-DSA-65', ['digitalSignature']],
    ['SLH-DSA-SHAKE-192f', ['digitalSignature']],
    ['brainpoolP384r1', ['digitalSignature', 'keyAgreement']],
    ['X448', ['keyAgreement']],
    ['ML-KEM-768', ['keyEncipherment']],
  ] as const)('%s gets the usages that it can have', (key, usages) => {
    expect(keyUsagesFor(['digitalSignature', 'keyEncipherment', 'keyAgreement'], key)).toEqual(usages)
  })

  test('must be able to do something that the template is for', () => {
    const signing = change(server, { keyUsages: ['digitalSignature'] }, { keys: ['ML-KEM-768'] })
    expect(faultsOf(signing, wish({ key: 'ML-KEM-768', keyText: 'ML-KEM-768', csr: csr() }))).toContainEqual({
      field: 'csr',
      says: 'The key is ML-KEM-768, which can do nothing that the template is for (digital signature)',
    })
  })

  test('must be of a kind that the template allows', () => {
    const strict = change(server, {}, { keys: ['P-384'] })
    expect(faultsOf(strict, wish({ csr: csr() }))).toEqual([{ field: 'csr', says: 'The key is EC P-256. This template allows EC P-384' }])
    expect(faultsOf(server, wish({ key: undefined, keyText: 'RSA 2047', csr: csr() }))[0]?.says).toContain('RSA 2047')
  })
})

describe('a subject', () => {
  const withUnits = change(server, {
    certificateSubjects: [
      { subjectField: 'CN', fieldValue: 'CommonName' },
      { subjectField: 'OU', fieldValue: 'Locality' },
    ],
  })
  const units = (count: number) => Array.from({ length: count }, (_one, at) => ({ field: 'OU', value: `Unit ${at}` }))
  const named = (...more: { field: string; value: string }[]) =>
    wish({ csr: csr({ subject: [{ field: 'CN', value: 'www.example.org' }, ...more] }) })

  test('with more units than there is room for is refused, not shortened', () => {
    expect(draftOf(withUnits, named(...units(4))).subject).toHaveLength(5)
    expect(faultsOf(withUnits, named(...units(30)))).toEqual([
      { field: 'csr', says: expect.stringContaining('at most 4 times in one certificate; these are 30') },
    ])
  })

  test('is as long as its characters, not as their units of UTF-16', () => {
    expect(draftOf(withUnits, named({ field: 'OU', value: '\u{20000}'.repeat(64) })).subject).toHaveLength(2)
    expect(faultsOf(withUnits, named({ field: 'OU', value: '\u{20000}'.repeat(65) }))[0]?.says).toContain('this has 65')
  })

  test('is quoted with its bidirectional and invisible characters escaped', () => {
    const [fault] = faultsOf(strict, named({ field: 'O', value: 'moc.\u202eknab\u200b' }))
    expect(fault?.says).toContain('O=moc.\\u{202e}knab\\u{200b}')
  })

  test('with an e-mail address that is no alternative name is told', () => {
    const mail = change(person, { certificateSans: [], certificateSubjects: [{ subjectField: 'emailAddress', fieldValue: 'Email' }] })
    const plan = planCertificate(mail, wish({ entity: 'user', key: 'RSA-2048', record: ada }))
    expect(plan.findings.map(({ code }) => code)).toEqual(['mailOnlyInSubject'])
  })
})

test('a typed value that the template has no place for is refused', () => {
  expect(faultsOf(server, wish({ csr: csr(), typed: { Email: ['a@example.org'] } }))).toEqual([
    { field: 'values.Email', says: 'The template has no place for this value' },
  ])
})

test('what a request says is quoted as text that can be shown and kept, and no more of it than one reads', () => {
  const saysOf = (details: Partial<RequestedDetails>) => faultsOf(strict, wish({ csr: csr(details) })).map(({ says }) => says)
  const named = (value: string) => ({
    subject: [
      { field: 'CN', value: 'www.example.org' },
      { field: 'O', value },
    ],
  })
  expect(saysOf(named('a\u0000b\r\n'))).toEqual([String.raw`The request's subject has O=a\00b\0d\0a, for which the template has no place`])
  expect(saysOf(named('x'.repeat(60_000)))).toEqual([`The request's subject has O=${'x'.repeat(79)}…, for which the template has no place`])
  expect(saysOf(named(`${'x'.repeat(78)}\u{1f512}${'x'.repeat(80)}`))[0]?.isWellFormed()).toBe(true)
  const device = change(preset('Device'), {
    ignoreCsrDetails: false,
    namesWithoutPlace: 'REFUSE',
    certificateSans: [
      { sanField: 'DNS', fieldValue: 'DNS' },
      { sanField: 'RFC822', fieldValue: 'Email' },
      { sanField: 'IP', fieldValue: 'IP' },
      { sanField: 'URI', fieldValue: 'URI' },
    ],
  })
  for (const value of ['a\u0000b', `\u0000${'y'.repeat(60_000)}`, `a@${'\u0000'.repeat(60_000)}`]) {
    const sans = (['DNS', 'RFC822', 'IP', 'URI', 'REGISTERED_ID', 'DIRECTORY_NAME'] as const).map((field) => ({ field, value }))
    const faults = faultsOf(
      device,
      wish({
        csr: csr({
          subject: [
            { field: 'CN', value },
            { field: value, value },
          ],
          sans,
          extendedUsages: [value],
          otherExtensions: [value],
        }),
      }),
    )
    expect(faults.length).toBeGreaterThan(8)
    for (const { says } of faults) expect([/\p{Cc}/u.test(says), says.length < 1_000, says]).toEqual([false, true, says])
  }
})

test('control characters and over-long names are refused', () => {
  const device = preset('Device')
  expect(
    faultsOf(device, wish({ typed: { DNS: ['a.example.org'], CommonName: ['a\u0000b'] } }))
      .map(({ says }) => says)
      .join(),
  ).toContain('NUL character')
  const plain = change(preset('TLSClient'), { certificateSans: [] })
  expect(faultsOf(plain, wish({ typed: { CommonName: ['x'.repeat(65)] } }))[0]?.says).toContain('at most 64')
})

test('a form asks for what must be typed, and shows what comes from the record', () => {
  expect(askedValues(server, 'device').map(({ source, from, required, many }) => [source, from, required, many])).toEqual([
    ['CommonName', 'typed', false, false],
    ['DNS', 'typed', true, true],
    ['IP', 'typed', false, true],
  ])
  expect(askedValues(person, 'user').map(({ source, from }) => [source, from])).toEqual([
    ['CommonName', 'record'],
    ['Email', 'record'],
  ])
})
