// The list of the inventory against the same list made by hand: every filter, order, page, total and count, whichever way the answer is found.

import { beforeAll, describe, expect, test } from 'vitest'
import type { DraftOf } from '#core/contract/contract.ts'
import { inTenant } from '#core/server/database.ts'
import { timeOrderedId } from '#core/server/events.ts'
import { useHouse } from '#core/testing/house.ts'
import { certificates } from '../../contract.ts'
import { certificateStatus, expiryWindows, lifetimeOf, readSpan, recentDays, type ExpiryWindow } from '../../rules.ts'
import { setAllRevoked } from '../../service.ts'
import { readTraits, traitsNumber } from '../../traits.ts'
import { unchanged, type CertificateRecord } from '../store.ts'
import { changeCertificate, insertCertificates } from './certificate-store.ts'

const { search } = certificates.calls
const day = 86_400_000
const hour = 3_600_000
type Query = DraftOf<typeof search>

const records: CertificateRecord[] = []
const [templateA, templateB, caA, caB] = [
  '01900000-0000-7000-8000-00000000000a',
  '01900000-0000-7000-8000-00000000000b',
  '01900000-0000-7000-8000-0000000000ca',
  '01900000-0000-7000-8000-0000000000cb',
]

const at = (milliseconds: number) => new Date(house.clock.now().getTime() + milliseconds)

/** Ends to both sides of every limit, to the second and by days. */
const ends = [
  -400 * day,
  -1,
  0,
  1,
  hour,
  ...Object.values(expiryWindows).flatMap((days) => [days * day - 1, days * day, days * day + 1, days * day + 3 * hour, (days - 1) * day]),
  800 * day,
]

const organisation = (number: number) => ['Leeds Works', 'Lyon Works', 'Oslo\\, Works'][number % 3] ?? ''

/** Of some nobody has looked yet. */
const traitsOf = (number: number): number =>
  number % 23 === 0
    ? 0
    : traitsNumber({
        key: (['RSA-2048', 'P-256', 'ML-DSA-65'] as const)[number % 3] ?? 'other',
        source: number % 11 === 0 ? 'uploaded' : 'requested',
        lint: number % 6 === 0 ? 'warnings' : 'clean',
        usages: number % 4 === 0 ? [] : number % 4 === 1 ? ['serverAuth'] : ['serverAuth', 'clientAuth'],
      })

function recordOf(number: number): CertificateRecord {
  const pending = number % 17 === 0
  const issued = at(-(number + 1) * 7 * hour)
  const foreign = number % 11 === 0
  const name = `host${number}.${['leeds', 'lyon', 'oslo'][number % 3]}.example.org`
  return {
    tenant_id: acme.id,
    id: timeOrderedId(issued),
    ca_id: foreign ? null : number % 5 === 0 ? caB : caA,
    ca_name: 'CA',
    serial_hex: `7f${((number * 2_654_435_761) % 2 ** 32).toString(16).padStart(8, '0')}`,
    request_id: null,
    template_id: foreign ? null : number % 2 === 0 ? templateA : templateB,
    template_name: 'Template',
    class: 'USER',
    entity: 'device',
    name,
    subject: `CN=${name},O=${organisation(number)}`,
    sans: [name],
    email: number % 4 === 0 ? `anna.${number}@example.org` : '',
    holder_user_id: null,
    holder: '',
    device_name: name,
    device_serial: '',
    requester_id: null,
    requester: '',
    friendly_name: number % 9 === 0 ? 'Straße Über' : '',
    contact_email: '',
    renewal_mode: 'NONE',
    revocation_approvers: 0,
    not_before: pending ? at(2 * hour) : issued,
    not_after: at(ends[number % ends.length] ?? 0),
    // Of some the issue itself is yet to come, as others dated it.
    issued_at: number % 34 === 0 ? at(2 * hour) : issued,
    revoked_at: null,
    revocation_reason: null,
    fingerprint_sha256: ((number * 40_503) % 65_536).toString(16).padStart(4, '0').repeat(16),
    certificate: Buffer.from([48, 0]),
    notices_sent: [],
    ...unchanged,
    traits: traitsOf(number),
  }
}

const house = await useHouse({ now: new Date('2026-03-14T15:09:26.535Z') })
const acme = await house.tenancy('Acme')
const crowd = await house.tenancy('Crowd')
const ada = await acme.person({ permissions: ['certView'] })
const carl = await crowd.person({ permissions: ['certView'] })
beforeAll(async () => {
  records.push(...Array.from({ length: 240 }, (_one, number) => recordOf(number)))
  await inTenant(house.house.database, acme.id, (db) => insertCertificates(db, records))
  for (const record of records.filter((_one, number) => number % 13 === 0)) {
    const change = { reason: 'superseded', at: at(-2 * day) } as const
    await inTenant(house.house.database, acme.id, (db) => setAllRevoked(db, acme.id, [record.id], change))
    Object.assign(record, { revoked_at: change.at, revocation_reason: change.reason })
  }
  for (const record of records.filter(({ revoked_at: revoked }, number) => number % 19 === 0 && revoked === null)) {
    const change = { reason: 'certificateHold', at: at(-day) } as const
    await inTenant(house.house.database, acme.id, (db) => setAllRevoked(db, acme.id, [record.id], change))
    Object.assign(record, { revoked_at: change.at, revocation_reason: change.reason })
  }
  for (const record of records.filter((_one, number) => number % 7 === 3)) {
    const change = Number.parseInt(record.serial_hex, 16) % 2 === 0 ? { renewed_by: records[0]?.id ?? null } : { replaced_at: at(-day) }
    await inTenant(house.house.database, acme.id, (db) => changeCertificate(db, acme.id, record.id, change))
    Object.assign(record, change)
  }
})

const statusOf = (record: CertificateRecord) => certificateStatus(lifetimeOf(record), house.clock.now())

const endsWithin = (record: CertificateRecord, window: ExpiryWindow): boolean => {
  const left = record.not_after.getTime() - house.clock.now().getTime()
  return (
    record.revoked_at === null &&
    record.renewed_by === null &&
    record.replaced_at === null &&
    left >= 0 &&
    left <= expiryWindows[window] * day
  )
}

const inSpan = (moment: Date | null, span: string | undefined): boolean => {
  const read = readSpan(span ?? '')
  return read === undefined || (moment !== null && moment >= read.from && moment < read.until)
}

function fitsTraits({ traits }: CertificateRecord, asked: { key: string[]; source: string[]; usage: string[]; lint: string[] }): boolean {
  const read = readTraits(traits)
  const has = (wanted: string[], values: string[]) => wanted.length === 0 || values.some((value) => wanted.includes(value))
  return (
    has(asked.key, read === undefined ? [] : [read.key]) &&
    has(asked.source, read === undefined ? [] : [read.source]) &&
    has(asked.usage, read?.usages ?? []) &&
    has(asked.lint, read === undefined ? [] : [read.lint])
  )
}

/** As the README says it, and in no other way as the product does it. */
const fits = (
  record: CertificateRecord,
  {
    text = '',
    status = [],
    templateId = [],
    caId = [],
    expires,
    ends: ending,
    issued,
    revoked,
    key = [],
    source = [],
    usage = [],
    lint = [],
    tag,
    owner,
    recent,
  }: Query,
): boolean =>
  (text.startsWith('O=')
    ? record.subject.includes(text)
    : text
        .toLowerCase()
        .split(/\s+/)
        .every(
          (term) =>
            term === '' ||
            [record.name, record.email, record.friendly_name].some((one) =>
              one
                .toLowerCase()
                .split(/(?<![\p{L}\p{N}])(?=[\p{L}\p{N}])/u)
                .some((_part, from, parts) => parts.slice(from).join('').startsWith(term)),
            ) ||
            (term.length >= 4 &&
              [record.serial_hex, record.fingerprint_sha256].some((digits) => digits.startsWith(term.replaceAll(':', '')))),
        )) &&
  (status.length === 0 || status.includes(statusOf(record))) &&
  (templateId.length === 0 || templateId.includes(record.template_id ?? '')) &&
  (caId.length === 0 || caId.includes(record.ca_id ?? '')) &&
  (expires === undefined || endsWithin(record, expires)) &&
  inSpan(record.not_after, ending) &&
  (ending === undefined || (record.revoked_at === null && record.renewed_by === null && record.replaced_at === null)) &&
  fitsTraits(record, { key, source, usage, lint }) &&
  (tag === undefined || record.tags.includes(tag)) &&
  (owner === undefined || record.owner_user_id === owner) &&
  (recent === undefined || record.issued_at.getTime() >= house.clock.now().getTime() - recentDays[recent] * day) &&
  inSpan(record.issued_at, issued) &&
  inSpan(record.revoked_at, revoked)

const span = (from: number, until: number) => `${at(from).toISOString()}/${at(until).toISOString()}`

const queries = (): Query[] => [
  {},
  { status: ['active'] },
  { status: ['expiring', 'pending'] },
  { status: ['expired'] },
  { status: ['revoked'], caId: [caB] },
  { status: ['onHold'] },
  { status: ['onHold', 'expiring'], templateId: [templateA] },
  { text: 'example', status: ['onHold'] },
  { templateId: [templateA], expires: 'quarter' },
  { expires: 'week' },
  { caId: [caA, caB], status: ['active', 'expired'] },
  { text: 'host1' },
  { text: 'leeds' },
  { text: 'O=Lyon Works', status: ['active'] },
  { text: 'leeds.exam', status: ['active'] },
  { text: 'anna oslo' },
  { text: 'straße', templateId: [templateB] },
  { text: 'über' },
  { text: '7f00' },
  { text: records[7]?.serial_hex ?? '' },
  { text: (records[8]?.fingerprint_sha256 ?? '').replace(/..(?=.)/g, '$&:') },
  { text: 'nowhere' },
  { text: 'example' },
  { text: 'example', status: ['expiring'], caId: [caA] },
  { ends: span(0, 40 * day) },
  { ends: span(0, 400 * day), status: ['expiring'], text: 'lyon' },
  { issued: span(-30 * day, 0), caId: [caA] },
  { revoked: span(-3 * day, 0) },
  { key: ['RSA-2048'] },
  { key: ['P-256', 'ML-DSA-65'], source: ['uploaded'], status: ['active', 'expired'] },
  { usage: ['clientAuth'], lint: ['clean'] },
  { usage: ['none', 'clientAuth'], expires: 'year' },
  { text: 'lyon', lint: ['warnings'] },
  { recent: 'week' },
  { recent: 'month', key: ['P-256'] },
]

const idsOf = (some: readonly { certificateId: string }[]) => some.map(({ certificateId }) => certificateId)

/** What each query answers, and what it should. */
async function answers(): Promise<{ given: unknown[]; wanted: unknown[] }> {
  const [given, wanted]: [unknown[], unknown[]] = [[], []]
  for (const query of queries()) {
    const fitting = records.filter((record) => fits(record, query)).toSorted((a, b) => b.issued_at.getTime() - a.issued_at.getTime())
    const { rows, total, more, facets } = await ada.call(search, { ...query, size: 200 })
    given.push({ query, total, more, ids: idsOf(rows).toSorted(), facets })
    const shown = (filter: Query) => records.filter((record) => fits(record, { ...query, ...filter })).length
    const counted = (counts: Record<string, number> | undefined, filterOf: (value: string) => Query) =>
      Object.fromEntries(Object.keys(counts ?? {}).map((value) => [value, shown(filterOf(value))]))
    const facetsByHand = {
      status: counted(facets?.status, (value) => ({ status: [value as 'active'] })),
      templateId: counted(facets?.templateId, (value) => ({ templateId: [value] })),
      caId: counted(facets?.caId, (value) => ({ caId: [value] })),
      expires: counted(facets?.expires, (value) => ({ expires: value as ExpiryWindow })),
      key: counted(facets?.key, (value) => ({ key: [value as 'P-256'] })),
      source: counted(facets?.source, (value) => ({ source: [value as 'uploaded'] })),
      usage: counted(facets?.usage, (value) => ({ usage: [value as 'none'] })),
      lint: counted(facets?.lint, (value) => ({ lint: [value as 'clean'] })),
    }
    wanted.push({
      query,
      total: fitting.length,
      more: false,
      ids: fitting
        .slice(0, 200)
        .map(({ id }) => id)
        .toSorted(),
      facets: facetsByHand,
    })
  }
  return { given, wanted }
}

describe('A page of the inventory, with its total and its counts', () => {
  test('is what the filters say, by every filter', async () => {
    const { given, wanted } = await answers()
    expect(given).toEqual(wanted)
  })

  test('stays the same when the changes of the counts are added up', async () => {
    for (const _time of ['first', 'second']) {
      await house.runJob(certificates.jobs.counts)
      const { given, wanted } = await answers()
      expect(given).toEqual(wanted)
    }
  })

  test('follows the clock and each further change', async () => {
    house.clock.advance(8 * day + 90 * 60_000)
    for (const record of records.slice(100, 110)) {
      const change = { reason: 'superseded', at: at(-hour) } as const
      await inTenant(house.house.database, acme.id, (db) => setAllRevoked(db, acme.id, [record.id], change))
      Object.assign(record, { revoked_at: record.revoked_at ?? change.at })
    }
    const { given, wanted } = await answers()
    expect(given).toEqual(wanted)
  })

  test('that was asked before is told anew where time, a change or the adding up has made it another', async () => {
    const asked = async () => {
      const { given, wanted } = await answers()
      expect(given).toEqual(wanted)
    }
    await house.runJob(certificates.jobs.counts)
    // An hour before what ends 90 days and 3 hours after the beginning has 30 days left.
    house.clock.advance(52 * day + hour / 2)
    await asked()
    house.clock.advance(2 * hour)
    await asked()
    const [record] = records.filter((one) => one.revoked_at === null)
    if (record === undefined) throw new Error('All are revoked')
    const change = { reason: 'superseded', at: at(-hour) } as const
    await inTenant(house.house.database, acme.id, (db) => setAllRevoked(db, acme.id, [record.id], change))
    Object.assign(record, { revoked_at: change.at })
    await asked()
  })

  test.each(['name', 'notAfter', 'issuedAt', 'serialNumber'] as const)(
    'is in the order of %s, forwards and backwards, page after page',
    async (sort) => {
      const key = ({ name, not_after, issued_at, serial_hex }: CertificateRecord): string =>
        ({ name, notAfter: not_after.toISOString(), issuedAt: issued_at.toISOString(), serialNumber: serial_hex })[sort]
      for (const filter of [{}, { text: 'example', status: ['active' as const] }]) {
        const pagesOf = async (direction: 'asc' | 'desc') => {
          const pages = await Promise.all([1, 2, 3].map((page) => ada.call(search, { ...filter, sort, direction, page, size: 100 })))
          return pages.flatMap(({ rows }) => idsOf(rows))
        }
        const [forwards, backwards] = [await pagesOf('asc'), await pagesOf('desc')]
        const wanted = records.filter((record) => fits(record, filter))
        expect(forwards).toHaveLength(wanted.length)
        expect(new Set(forwards).size).toBe(wanted.length)
        expect(backwards).toEqual(forwards.toReversed())
        const byId = new Map(wanted.map((record) => [record.id, key(record)]))
        const keys = forwards.map((id) => byId.get(id))
        expect(keys).toEqual(wanted.map(key).toSorted())
      }
    },
  )
})

describe('A text that finds more certificates than are listed', () => {
  const many = 10_400
  beforeAll(async () => {
    const [sample] = records
    if (sample === undefined) throw new Error('There is no record')
    await inTenant(house.house.database, crowd.id, (db) =>
      insertCertificates(db, [
        {
          ...sample,
          tenant_id: crowd.id,
          name: 'web-0.example.org',
          subject: 'CN=web,O=Web Works',
          device_name: '',
          sans: [],
          email: '',
          friendly_name: '',
          template_id: templateA,
          issued_at: at(-day),
          revoked_at: null,
          revocation_reason: null,
        },
      ]),
    )
    await house.asOwner(`
      with made as (
        insert into certificates select (json_populate_record(one, json_build_object('id', gen_random_uuid(), 'serial_hex', lpad(to_hex(n), 12, '0'), 'name', 'web-' || n || '.example.org', 'issued_at', one.issued_at - n * interval '1 second', 'fingerprint_sha256', md5(n::text)))).*
        from certificates one, generate_series(1, ${many - 1}) n where one.tenant_id = '${crowd.id}' returning tenant_id, id, name
      ) insert into certificate_words select tenant_id, word, id from made, unnest(array[name, 'example.org', 'org', 'o=web works']) word`)
    // As the database does by itself within a minute: two broad terms are joined by what it knows of them.
    await house.asOwner('analyze certificates, certificate_words')
  })

  test('shows its pages all the same, says that there are more, and leaves the counts out', async () => {
    const all = Array.from({ length: many }, (_one, number) => `web-${number}.example.org`)
    for (const page of [1, 2, 60]) {
      const answer = await carl.call(search, { text: 'web', page, size: 100 })
      expect(answer.rows.map(({ name }) => name)).toEqual(all.slice((page - 1) * 100, page * 100))
      expect([answer.total, answer.more, answer.facets]).toEqual([10_000, true, undefined])
    }
    const ofOne = await carl.call(search, { text: 'CN=web, O=Web Works', page: 2, size: 100 })
    expect([ofOne.rows.map(({ name }) => name), ofOne.more]).toEqual([all.slice(100, 200), true])
    const narrowed = await carl.call(search, { text: 'web example', templateId: [templateB] })
    expect([narrowed.total, narrowed.rows]).toEqual([0, []])
    const one = await carl.call(search, { text: 'web example web-77', size: 200 })
    expect(one.rows.map(({ name }) => name).toSorted()).toEqual(all.filter((name) => name.startsWith('web-77')).toSorted())
  })

  test('is counted whole without the text', async () => {
    const { total, more } = await carl.call(search, {})
    expect([total, more]).toEqual([many, false])
  })
})

describe('What kind a certificate is', () => {
  test('is found out for those that were here before it was kept, and counted then', async () => {
    const before = await ada.call(search, { lint: ['errors'] })
    expect(before.total).toBe(0)
    const waiting = records.filter(({ traits }) => traits === 0)
    await house.runJob(certificates.jobs.traits)
    // The bytes of these are none of a certificate.
    const after = await ada.call(search, { lint: ['errors'], size: 200 })
    expect(idsOf(after.rows).toSorted()).toEqual(waiting.map(({ id }) => id).toSorted())
    expect(after.facets?.lint['errors']).toBe(waiting.length)
    await house.runJob(certificates.jobs.traits)
    expect((await ada.call(search, { lint: ['errors'] })).total).toBe(waiting.length)
  })
})
