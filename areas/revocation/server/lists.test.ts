import { createHash } from 'node:crypto'
import { afterAll, describe, expect, test } from 'vitest'
import { markRevoked, releaseHold } from '#areas/authorities/service.ts'
import { inTenant } from '#core/server/database.ts'
import { parseCrl } from '#standards/crl/parse.ts'
import { parseCertificate } from '#standards/x509/certificate.ts'
import { findExtension } from '#standards/x509/extensions.ts'
import { revocation } from '../contract.ts'
import { forgetLists } from './list-cache.ts'
import { bytesOf, currentCrl } from './list-files.ts'
import { derOf, openRevocations, type Authority, type Leaf as RevocableLeaf } from './revocation.fixture.ts'

const { revoke, makeList, publication, setPublication } = revocation.calls
const usual = { shards: 0, delta: false, deltaMinutes: 60, responderId: 'byKey' } as const

const { house, acme, ada, run, file, read, authority, issue: issueLeaf, fetchCrl: whole, close } = await openRevocations()
afterAll(close)

/** `listUrl`: where the certificate says that its list is. */
type Leaf = RevocableLeaf & { listUrl: string }

async function issue(ca: Authority): Promise<Leaf> {
  const leaf = await issueLeaf(ca)
  const points = findExtension(parseCertificate(derOf(leaf.pem)).extensions, 'cRLDistributionPoints')?.distributionPoints ?? []
  const listUrl =
    points.flatMap(({ fullName = [] }) => fullName.flatMap((one) => (one.type === 'uniformResourceIdentifier' ? [one.value] : [])))[0] ?? ''
  return { ...leaf, listUrl }
}

const get = async (path: string) => new Uint8Array(await (await house.fetch(path)).arrayBuffer())
const part = (ca: Authority, name: string) => get(`/pki/crl/${ca.publicId}/${name}.crl`)
const pathOf = (url: string) => new URL(url).pathname
const reasonOn = (list: Uint8Array, { serial }: Leaf) => parseCrl(list).find(Buffer.from(serial, 'hex'))?.reason
const pem = async (name: string, list: Uint8Array): Promise<string> => {
  file(`${name}.crl`, list)
  await run('openssl', 'crl', '-inform', 'DER', '-in', `${name}.crl`, '-out', `${name}.list.pem`)
  return `${name}.list.pem`
}
/** One whose certificates are told by the parts of a list, and a leaf on each of two of them. */
async function sharded(): Promise<{ ca: Authority; leaves: [Leaf, Leaf]; old: Leaf }> {
  const ca = await authority()
  const old = await issue(ca)
  await ada.call(setPublication, { ...usual, caId: ca.caId, shards: 2 })
  const leaves: Leaf[] = []
  for (let tries = 0; leaves.length < 2 && tries < 40; tries += 1) {
    const leaf = await issue(ca)
    if (leaves.every(({ listUrl }) => listUrl !== leaf.listUrl)) leaves.push(leaf)
  }
  const [one, other] = leaves
  if (one === undefined || other === undefined) throw new Error('All forty serials fell on one part')
  return { ca, leaves: [one, other], old }
}

test('a list is read once for all who fetch it at the same moment', async () => {
  const { caId } = await authority()
  await ada.call(makeList, { caId })
  forgetLists()
  const list = await currentCrl(house.house, { tenantId: acme.id, caId, part: 0 })
  const fetched = async () => {
    const blocks: Uint8Array[] = []
    if (list !== undefined) for await (const block of bytesOf(house.house, list)) blocks.push(block)
    return blocks
  }
  const [one, other] = await Promise.all([fetched(), fetched()])
  // What stands before the signed part and behind it, and what stands before the entries and behind them.
  expect(one).toHaveLength(4)
  expect(other?.[1]).toBe(one?.[1])
  expect(parseCrl(Buffer.concat(one ?? [])).entryCount).toBe(0)
})

describe('a list in parts', () => {
  test('is told by the address in the certificate, and OpenSSL and GnuTLS hear of the revocation from that part alone', async () => {
    const { ca, leaves } = await sharded()
    const [bad, good] = leaves
    expect(pathOf(bad.listUrl)).toMatch(new RegExp(`^/pki/crl/${ca.publicId}/000[12]\\.crl$`))
    await ada.call(revoke, { certId: bad.id, reason: 'keyCompromise' })
    await expect.poll(async () => reasonOn(await get(pathOf(bad.listUrl)), bad)).toBe('keyCompromise')

    const list = await get(pathOf(bad.listUrl))
    expect(parseCrl(list).issuingDistributionPoint).toMatchObject({ uris: [bad.listUrl] })
    expect(reasonOn(await get(pathOf(good.listUrl)), bad)).toBeUndefined()
    const [badList, goodList] = [await pem('bad', list), await pem('good', await get(pathOf(good.listUrl)))]
    const verify = (leaf: Leaf, crl: string) =>
      run('openssl', 'verify', '-CAfile', ca.file, '-CRLfile', crl, '-crl_check', '-extended_crl', leaf.file)
    expect(await verify(bad, badList)).toContain('certificate revoked')
    expect(await verify(good, goodList)).toContain(': OK')
    // The part of another says nothing about a certificate.
    expect(await verify(good, badList)).toContain('different CRL scope')
    expect(await run('certtool', '--verify-crl', '--load-ca-certificate', ca.file, '--infile', badList)).toMatch(
      /Verification output: Verified/i,
    )
  })

  test('is made anew where something changed, and only there', async () => {
    const { ca, leaves } = await sharded()
    const [bad, good] = leaves
    const before = [await get(pathOf(bad.listUrl)), await get(pathOf(good.listUrl)), await whole(ca)].map(
      (list) => parseCrl(list).crlNumber,
    )
    await ada.call(revoke, { certId: bad.id, reason: 'superseded' })
    await expect.poll(async () => reasonOn(await get(pathOf(bad.listUrl)), bad)).toBe('superseded')
    const after = [await get(pathOf(bad.listUrl)), await get(pathOf(good.listUrl)), await whole(ca)].map((list) => parseCrl(list).crlNumber)
    expect(after[0]).toBeGreaterThan(before[0] ?? 0n)
    expect(after.slice(1)).toEqual(before.slice(1))
    await ada.call(makeList, { caId: ca.caId })
    expect(reasonOn(await whole(ca), bad)).toBe('superseded')
  })

  test('leaves certificates of before with the whole, which hears of them at once', async () => {
    const { ca, old } = await sharded()
    expect(pathOf(old.listUrl)).toBe(`/pki/crl/${ca.publicId}.crl`)
    await whole(ca)
    await ada.call(revoke, { certId: old.id, reason: 'superseded' })
    await expect.poll(async () => reasonOn(await whole(ca), old)).toBe('superseded')
  })

  test('gets more parts, never fewer, and has no address beyond them', async () => {
    const { ca } = await sharded()
    await expect(ada.call(setPublication, { ...usual, caId: ca.caId, shards: 1 })).rejects.toMatchObject({
      status: 400,
      fields: [{ field: 'shards' }],
    })
    await expect(ada.call(setPublication, { ...usual, caId: ca.caId, shards: 5000 })).rejects.toMatchObject({
      status: 400,
      fields: [{ field: 'shards' }],
    })
    await ada.call(setPublication, { ...usual, caId: ca.caId, shards: 3 })
    expect((await ada.call(publication, { caId: ca.caId })).lists.map(({ part: one }) => one)).toEqual([0, 1, 2, 3])
    const answers = await Promise.all(
      ['0000', '0004', '1', '00001', '-001', 'x'].map((name) => house.fetch(`/pki/crl/${ca.publicId}/${name}.crl`)),
    )
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 404))
  })
})

describe('a delta list', () => {
  const withDelta = async () => {
    const ca = await authority()
    await ada.call(setPublication, { ...usual, caId: ca.caId, delta: true })
    return ca
  }

  test('tells at once what the whole tells a day later, and OpenSSL joins the two', async () => {
    const ca = await withDelta()
    const [bad, good] = [await issue(ca), await issue(ca)]
    await ada.call(makeList, { caId: ca.caId })
    const base = await whole(ca)
    expect(findExtension(parseCrl(base).extensions, 'freshestCRL')?.distributionPoints).toMatchObject([
      { fullName: [{ value: expect.stringContaining(`/pki/crl/${ca.publicId}/delta.crl`) }] },
    ])
    await ada.call(revoke, { certId: bad.id, reason: 'keyCompromise' })
    await expect.poll(async () => reasonOn(await part(ca, 'delta'), bad)).toBe('keyCompromise')
    const delta = parseCrl(await part(ca, 'delta'))
    expect(reasonOn(await whole(ca), bad)).toBeUndefined()
    expect(delta.deltaBase).toBeLessThanOrEqual(parseCrl(base).crlNumber ?? 0n)
    expect(delta.crlNumber).toBeGreaterThan(parseCrl(base).crlNumber ?? 0n)

    file('both.pem', read(await pem('base', base)).toString() + read(await pem('delta', await part(ca, 'delta'))).toString())
    const verify = (leaf: Leaf) =>
      run('openssl', 'verify', '-CAfile', ca.file, '-CRLfile', 'both.pem', '-crl_check_all', '-use_deltas', '-extended_crl', leaf.file)
    expect(await verify(bad)).toContain('certificate revoked')
    expect(await verify(good)).toContain(': OK')

    house.clock.advance(25 * 3_600_000)
    await house.runJob(revocation.jobs.lists)
    expect(reasonOn(await whole(ca), bad)).toBe('keyCompromise')
  })

  test('tells that a hold has ended', async () => {
    const ca = await withDelta()
    const held = await issue(ca)
    const order = { tenantId: acme.id, caId: ca.caId, serialHex: held.serial }
    await inTenant(house.house.database, acme.id, (db) => markRevoked(db, { ...order, reason: 'certificateHold', at: house.clock.now() }))
    await ada.call(makeList, { caId: ca.caId })
    expect(reasonOn(await whole(ca), held)).toBe('certificateHold')
    await inTenant(house.house.database, acme.id, (db) => releaseHold(db, { ...order, at: house.clock.now() }))
    await house.runJob(revocation.jobs.lists)
    expect(reasonOn(await part(ca, 'delta'), held)).toBe('removeFromCRL')
    await ada.call(makeList, { caId: ca.caId })
    expect(reasonOn(await whole(ca), held)).toBeUndefined()
  })

  test('is not there where it is switched off', async () => {
    const ca = await authority()
    expect((await house.fetch(`/pki/crl/${ca.publicId}/delta.crl`)).status).toBe(404)
  })
})

describe('a large list', () => {
  test('is given out piece by piece, each byte as it was signed', async () => {
    const ca = await authority()
    await house.asOwner(`set row_security = off;
      insert into revoked_serials select a.tenant_id, a.id, s.serial, 0, s.n, now() + interval '1 year', false, '\\x30210210'::bytea || s.serial || '\\x170d'::bytea || convert_to('260601123045Z', 'UTF8')
      from authorities a, (select n, '\\x7f'::bytea || substr(sha256(int8send(n)), 1, 15) as serial from generate_series(1::bigint, 100000) n) s where a.id = '${ca.caId}';
      insert into serial_revisions select tenant_id, id, 100000 from authorities where id = '${ca.caId}'`)
    const response = await house.fetch(`/pki/crl/${ca.publicId}.crl`)
    const list = new Uint8Array(await response.arrayBuffer())
    expect(parseCrl(list).entryCount).toBe(100_000)
    expect(response.headers.get('content-length')).toBe(String(list.length))
    file('large.crl', list)
    expect(await run('openssl', 'crl', '-inform', 'DER', '-in', 'large.crl', '-CAfile', ca.file, '-noout')).toContain('verify OK')
    // From memory, then read from the database, then from memory again.
    forgetLists()
    for (const _reading of ['database', 'memory']) {
      const again = Buffer.from(await (await house.fetch(`/pki/crl/${ca.publicId}.crl`)).arrayBuffer())
      expect(again.equals(list)).toBe(true)
    }
  })

  test('made from the one before lists what the database says, whatever ended, changed or came meanwhile, and is read as long as it is kept', async () => {
    const ca = await authority()
    // A run is of 16,384 revisions: two full ones and the beginning of a third. In the second, ten end in a day.
    const [of, apart] = [16_384, 400]
    const last = Math.floor((2 * of + 3 * apart) / apart) * apart
    await house.asOwner(`set row_security = off;
      insert into revoked_serials select a.tenant_id, a.id, s.serial, 0, s.n, now() + case when s.n > ${of} and s.n <= ${of + 10 * apart} then interval '1 day' else interval '1 year' end, false,
        '\\x30210210'::bytea || s.serial || '\\x170d'::bytea || convert_to('260601123045Z', 'UTF8')
      from authorities a, (select n, '\\x7f'::bytea || substr(sha256(int8send(n)), 1, 15) as serial from generate_series(${apart}::bigint, ${last}, ${apart}) n) s where a.id = '${ca.caId}';
      insert into serial_revisions select tenant_id, id, ${last} from authorities where id = '${ca.caId}'`)
    const fresh = async () => {
      await ada.call(makeList, { caId: ca.caId })
      // What the list refers to is read.
      forgetLists()
      const list = Buffer.from(await (await house.fetch(`/pki/crl/${ca.publicId}.crl`)).arrayBuffer())
      file('reused.crl', list)
      expect(await run('openssl', 'crl', '-inform', 'DER', '-in', 'reused.crl', '-CAfile', ca.file, '-noout')).toContain('verify OK')
      return [...parseCrl(list).entries()].map(({ serialNumber }) => Buffer.from(serialNumber).toString('hex')).sort()
    }
    const numbered = (n: number) =>
      `7f${createHash('sha256')
        .update(Buffer.from(n.toString(16).padStart(16, '0'), 'hex'))
        .digest('hex')
        .slice(0, 30)}`
    const own = (change: string) => house.asOwner(`set row_security = off; ${change}`)
    const all = await fresh()
    expect(all).toHaveLength(last / apart)
    expect((await fresh()).join()).toBe(all.join())

    // One of the first run leaves the list, as a hold that ends does: with a revision of its own.
    const next = last + 1
    const gone = numbered(apart)
    await own(
      `update revoked_serials set revision = ${next}, released = true where ca_id = '${ca.caId}' and serial = '\\x${gone}'; update serial_revisions set revision = ${next} where ca_id = '${ca.caId}'`,
    )
    const without = all.filter((serial) => serial !== gone)
    expect(without).toHaveLength(all.length - 1)
    expect((await fresh()).join()).toBe(without.join())

    house.clock.advance(3 * 86_400_000)
    const unexpired = await fresh()
    const ended = new Set(Array.from({ length: 10 }, (_one, at) => numbered(Math.ceil((of + 1) / apart) * apart + at * apart)))
    expect(unexpired.join()).toBe(without.filter((serial) => !ended.has(serial)).join())

    // More lists than keep their bytes: what the newest refers to is still there.
    for (let list = 0; list < 7; list += 1) expect((await fresh()).length).toBe(unexpired.length)
    const leaf = await issue(ca)
    await ada.call(revoke, { certId: leaf.id, reason: 'superseded' })
    expect((await fresh()).join()).toBe([...unexpired, leaf.serial].sort().join())
  })
})

describe('what nears its end', () => {
  test('is told once, when nothing could follow it', async () => {
    const ca = await authority()
    await whole(ca)
    const told = async () => {
      const { rows } = await house.house.auditor.pool.query<{ body: string }>(
        `select body from events where name = 'listEnding' and about = $1`,
        [ca.caId],
      )
      return rows.map(({ body }) => JSON.parse(body) as { part: number })
    }
    house.clock.advance(40 * 3_600_000)
    expect((await ada.call(publication, { caId: ca.caId })).lists).toMatchObject([{ part: 0, state: 'ending', due: true }])
    // No list can be recorded.
    await house.asOwner('revoke insert on crls from chancery_app')
    try {
      await house.runJob(revocation.jobs.lists)
      await house.runJob(revocation.jobs.lists)
    } finally {
      await house.asOwner('grant insert on crls to chancery_app')
    }
    expect(await told()).toMatchObject([{ part: 0 }])
    await house.runJob(revocation.jobs.lists)
    expect((await ada.call(publication, { caId: ca.caId })).lists).toMatchObject([{ part: 0, state: 'fresh', due: false }])
    expect(await told()).toHaveLength(1)
  })
})
