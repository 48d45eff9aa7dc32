import { describe, expect, test } from 'vitest'
import { CsrRules, TemplateExtensions } from './contract.ts'
import { templatePresets } from './presets.ts'
import {
  asymmetricAlgorithm,
  certificateType,
  clearedExtensions,
  defaultExtensions,
  endOfValidity,
  extendedUsages,
  keyTypes,
  keyUsages,
  orderTemplates,
  parseCsrRules,
  renewalModes,
  sanFields,
  templateFaults,
  validityUnits,
  type Extensions,
} from './rules.ts'

const faultsOf = (extensions: Partial<Extensions>) =>
  templateFaults({
    class: 'DEVICE',
    extensions: { ...defaultExtensions, ...extensions },
    rules: { keys: ['P-256'], allowedDomains: [], wildcards: false, maximumNames: 20 },
  })

describe('the words of the specification', () => {
  test('validity units, key types, SAN types and renewal modes', () => {
    expect(keyTypes.slice(0, 6)).toEqual(['UNKNOWN_KEY_TYPE', 'RSA', 'EC_NIST', 'EC_SECG', 'EC_SEC2', 'EC_BRAINPOOL'])
    expect(validityUnits).toEqual(['UNKNOWN', 'HOURS', 'DAYS', 'MONTHS', 'YEARS'])
    expect(Object.keys(sanFields)).toEqual([
      'OTHER_NAME',
      'RFC822',
      'DNS',
      'X400_ADDRESS',
      'EDI_PARTY_NAME',
      'URI',
      'IP',
      'REGISTERED_ID',
      'DIRECTORY_NAME',
      'SAN_TYPE_HARDWARE_MODULE_NAME',
    ])
    expect(Object.keys(renewalModes)).toEqual(['NONE', 'MANUAL', 'AUTOMATIC_SAME_KEY', 'AUTOMATIC_NEW_KEY'])
  })

  test('the nine key usages and the eight extended usages', () => {
    expect(Object.values(keyUsages).map((text) => text.toLowerCase())).toEqual([
      'digital signature',
      'non-repudiation',
      'key encipherment',
      'data encipherment',
      'key agreement',
      'certificate signing',
      'crl signing',
      'encipher only',
      'decipher only',
    ])
    expect(
      Object.values(extendedUsages)
        .map(({ label }) => label)
        .slice(0, 8),
    ).toEqual([
      'TLS server auth',
      'TLS client auth',
      'Code signing',
      'Email protection',
      'IPsec end system',
      'IPsec tunnel',
      'IPsec user',
      'Timestamping',
    ])
  })

  test('the type of the short form', () => expect(certificateType('USER')).toBe('CERTIFICATE_TYPE_USER'))
})

test('a template that says nothing gets CN and CommonName, DNS and DNS, one year, and ignores the details of CSRs', () => {
  expect(TemplateExtensions.parse({})).toEqual(defaultExtensions)
  expect(defaultExtensions).toMatchObject({
    certificateSubjects: [{ subjectField: 'CN', fieldValue: 'CommonName' }],
    certificateSans: [{ sanField: 'DNS', fieldValue: 'DNS' }],
    validityPeriodUnits: 'YEARS',
    ignoreCsrDetails: true,
  })
})

test('clearing a template resets the extensions but keeps the unit', () => {
  const cleared = clearedExtensions({
    ...defaultExtensions,
    validityPeriod: 90,
    validityPeriodUnits: 'DAYS',
    certificateSans: [],
    ignoreCsrDetails: false,
  })
  expect(cleared).toEqual({ ...defaultExtensions, validityPeriodUnits: 'DAYS' })
})

describe('the rules in their JSON string', () => {
  test('are read back', () => {
    const rules = CsrRules.parse({ keys: ['P-256'], allowedDomains: ['*.example.org'] })
    expect(parseCsrRules(JSON.stringify(rules))).toEqual(rules)
  })
  test.each(['', '{', 'null', '[]', '{"keys":"P-256"}'])('%j gives no rules', (text) => expect(parseCsrRules(text)).toBeUndefined())
})

test('templates stand by authority and name, then by priority, those without one last', () => {
  const row = (caName: string, templateName: string, priority?: number) => ({
    caName,
    templateName,
    licensedTemplateId: templateName,
    priority,
  })
  const rows = [row('B', 'one'), row('A', 'two'), row('A', 'one'), row('Z', 'first', -1), row('B', 'second', 3)]
  expect(orderTemplates(rows, ({ priority }) => priority).map(({ caName, templateName }) => `${caName} ${templateName}`)).toEqual([
    'Z first',
    'B second',
    'A one',
    'A two',
    'B one',
  ])
})

test('the list names each kind of key once', () => expect(asymmetricAlgorithm(['RSA-2048', 'RSA-4096', 'P-256'])).toBe('RSA, EC_NIST'))

describe('the end of a validity', () => {
  test.each([
    ['2026-01-31T10:00:00Z', 1, 'MONTHS', '2026-02-28T09:59:59.000Z'],
    ['2028-02-29T00:00:00Z', 1, 'YEARS', '2029-02-27T23:59:59.000Z'],
    ['2026-11-21T12:00:00Z', 1, 'YEARS', '2027-11-21T11:59:59.000Z'],
    ['2026-11-21T12:00:00Z', 90, 'DAYS', '2027-02-19T11:59:59.000Z'],
    ['2026-11-21T12:00:00Z', 8, 'HOURS', '2026-11-21T19:59:59.000Z'],
    ['2026-12-31T00:00:00Z', 2, 'MONTHS', '2027-02-27T23:59:59.000Z'],
  ] as const)('%s + %d %s is %s', (from, period, unit, end) => expect(endOfValidity(new Date(from), period, unit).toISOString()).toBe(end))
})

describe('a template', () => {
  test.each([
    ['certificate signing', { keyUsages: ['digitalSignature', 'keyCertSign'] }, 'extensions.keyUsages'],
    ['CRL signing', { keyUsages: ['cRLSign'] }, 'extensions.keyUsages'],
    ['no usage', { keyUsages: [] }, 'extensions.keyUsages'],
    ['encipher only without agreement', { keyUsages: ['encipherOnly'] }, 'extensions.keyUsages'],
    ['timestamping beside another purpose', { extendedUsages: ['timeStamping', 'codeSigning'] }, 'extensions.extendedUsages'],
    ['an unknown unit', { validityPeriodUnits: 'UNKNOWN' }, 'extensions.validityPeriodUnits'],
    ['two centuries', { validityPeriod: 200 }, 'extensions.validityPeriod'],
    [
      'a name form that is not made',
      {
        certificateSans: [
          { sanField: 'DNS', fieldValue: 'DNS' },
          { sanField: 'X400_ADDRESS', fieldValue: 'x' },
        ],
      },
      'extensions.certificateSans.1.sanField',
    ],
    [
      'a beginning more than half of the validity ago',
      { validityPeriod: 1, validityPeriodUnits: 'HOURS', backdatedMinutes: 31 },
      'extensions.backdatedMinutes',
    ],
    ['no place for a name', { certificateSubjects: [], certificateSans: [] }, 'extensions.certificateSubjects'],
    [
      'a country in full',
      { certificateSubjects: [{ subjectField: 'C', fieldValue: 'Australia' }] },
      'extensions.certificateSubjects.0.fieldValue',
    ],
  ] as const)('with %s is refused at its field', (_what, extensions, field) => {
    expect(faultsOf(structuredClone(extensions) as Partial<Extensions>).map((fault) => fault.field)).toContain(field)
  })

  test('with a malformed domain is refused at that domain', () => {
    const faults = templateFaults({
      class: 'DEVICE',
      extensions: defaultExtensions,
      rules: { keys: ['P-256'], allowedDomains: ['example.org', 'exa mple'], wildcards: false, maximumNames: 1 },
    })
    expect(faults.map(({ field }) => field)).toEqual(['rules.allowedDomains.1'])
  })

  test.each(templatePresets.map((preset) => [preset.templateName, preset] as const))(
    'of the preset %s is right as it stands',
    (_name, preset) => {
      expect(templateFaults(preset)).toEqual([])
    },
  )
})
