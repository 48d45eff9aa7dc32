// Attachments, sent and taken through the front door by a room of the test's own; the files are those that somebody would send who means harm.

import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openTestHouse, type TestHouse, type TestPerson, type TestTenancy } from '#core/testing/house.ts'
import { commonFault } from '../fault.ts'
import type { Endpoint, Room } from '../serve.ts'
import { withTenancy, type Tenancy } from '../tenancy.ts'
import {
  addAttachment,
  attachedBytes,
  attachmentAnswer,
  listAttachments,
  mostAttachmentBytes,
  readUpload,
  removeAttachments,
} from './attachments.ts'
import { attachmentDisposition, safeFileName } from './file-name.ts'
import { pagesRefused, programsRefused, typesRefused } from './file-type.ts'
import { zip } from './zip.fixture.ts'

const kind = 'test.parcel'
let limit = 64 * 1024 * 1024

const upload: Endpoint = {
  name: 'upload',
  method: 'POST',
  path: '/api2/Test-v1/Parcel',
  needs: 'signedIn',
  bodyLimit: mostAttachmentBytes,
  async handle(request) {
    const { viewer, house } = request
    if (viewer === undefined) throw commonFault('missing')
    const sent = await readUpload(request)
    const about = request.url.searchParams.get('about') ?? ''
    const row = await withTenancy(house, viewer.tenantId, (tenancy) =>
      addAttachment(tenancy, { kind, about, addedBy: viewer.userId, limit, ...sent }),
    )
    return { body: JSON.stringify({ id: row.id, name: row.name, type: row.type }) }
  },
}
const download: Endpoint = {
  name: 'download',
  method: 'GET',
  path: '/api2/Test-v1/Parcel',
  needs: 'signedIn',
  handle: async ({ viewer, house, url }) =>
    attachmentAnswer(house, viewer?.tenantId ?? '', {
      kind,
      about: url.searchParams.get('about') ?? '',
      id: url.searchParams.get('id') ?? '',
    }),
}
const room: Room = {
  area: 'parcels',
  contract: { area: 'parcels', title: 'Parcels', screens: {}, calls: {}, streams: {}, endpoints: {}, jobs: {}, events: {} },
  calls: [],
  streams: [],
  endpoints: [upload, download],
  subscriptions: [],
  jobs: [],
}

let house: TestHouse
let acme: TestTenancy
let ada: TestPerson
let bob: TestPerson

beforeAll(async () => {
  house = await openTestHouse({ moreRooms: [room] })
  acme = await house.tenancy('Acme')
  ada = await acme.person({ permissions: [] })
  bob = await (await house.tenancy('Globex')).person({ permissions: [] })
})
afterAll(() => house.close())

type Sent = { id: string; name: string; type: string; says?: string; status: number }

async function send(bytes: Uint8Array | string, { name = 'file', about = 'one', who = ada } = {}): Promise<Sent> {
  const answer = await who.fetch(`/api2/Test-v1/Parcel?name=${encodeURIComponent(name)}&about=${about}`, {
    method: 'POST',
    body: Buffer.from(bytes),
  })
  const body = (await answer.json()) as Sent & { code?: string; fields?: { says: string }[] }
  return { ...body, says: body.fields?.[0]?.says ?? body.code ?? 'taken', status: answer.status }
}
const take = (id: string, { about = 'one', who = ada } = {}) => who.fetch(`/api2/Test-v1/Parcel?id=${id}&about=${about}`)
const within = <T>(work: (tenancy: Tenancy) => Promise<T>, tenantId = acme.id) => withTenancy(house.house, tenantId, work)
const contents = async (tenantId = acme.id) =>
  (await within(({ db }) => sql<{ size: number }>`select size from attachment_contents order by size`.execute(db), tenantId)).rows.map(
    ({ size }) => size,
  )
const clear = async () => {
  await house.asOwner('delete from attachments; delete from attachment_contents; delete from attachment_usage')
}

const png = Buffer.concat([Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]), Buffer.alloc(40)])

describe('A file', () => {
  test('comes back byte for byte, as a download that is never shown', async () => {
    const bytes = Buffer.concat([Buffer.from('%PDF-1.7\n'), Buffer.alloc(700_000, 7)])
    const { id, name } = await send(bytes, { name: 'Übersicht "1".pdf' })
    expect(name).toBe('Übersicht 1.pdf')
    const answer = await take(id)
    expect(Buffer.from(await answer.arrayBuffer()).equals(bytes)).toBe(true)
    expect(
      Object.fromEntries(
        ['content-type', 'content-disposition', 'x-content-type-options', 'content-length', 'cache-control'].map((header) => [
          header,
          answer.headers.get(header),
        ]),
      ),
    ).toEqual({
      'content-type': 'application/pdf',
      'content-disposition': `attachment; filename="_bersicht 1.pdf"; filename*=UTF-8''%C3%9Cbersicht%201.pdf`,
      'x-content-type-options': 'nosniff',
      'content-length': '700009',
      'cache-control': 'private, no-store',
    })
    expect(answer.headers.get('content-security-policy')).toContain('sandbox')
    await clear()
  })

  test('may have 10 MB and not a byte more, and not none', async () => {
    const most = Buffer.alloc(mostAttachmentBytes, 'a')
    expect((await send(most)).says).toBe('taken')
    expect((await send(Buffer.concat([most, Buffer.from('a')]))).status).toBe(413)
    expect((await send('')).says).toBe('The file is empty')
    await clear()
  })

  test.each([
    ['a picture that says it is a text', png, 'photo.txt', 'photo.txt.png', 'image/png'],
    ['a text that says it is a program', 'echo off', 'run.bat', 'run.bat.txt', 'text/plain'],
    ['a PDF that says it is a page', '%PDF-1.7', 'a.html', 'a.html.pdf', 'application/pdf'],
    ['a document', zip(['[Content_Types].xml', 'word/document.xml']), 'letter.docx', 'letter.docx', 'application/zip'],
    ['an archive with a comment', zip(['a.txt'], { comment: 'hello' }), 'a.zip', 'a.zip', 'application/zip'],
    ['a text in UTF-16', Buffer.from('\u{feff}hello', 'utf16le'), 'a.log', 'a.log', 'text/plain'],
    ['an old text', Buffer.from('caf\u00e9', 'latin1'), 'a', 'a.txt', 'text/plain'],
    ['a certificate', Buffer.concat([Buffer.from([0x30, 0x1e]), Buffer.alloc(30)]), 'a.cer', 'a.cer', 'application/octet-stream'],
  ])('is told by its bytes: %s', async (_name, bytes, name, kept, type) => {
    expect(await send(bytes, { name })).toMatchObject({ says: 'taken', name: kept, type })
    await clear()
  })

  test.each([
    ['a program of Windows', Buffer.from('MZ\u0090\u0000', 'latin1'), programsRefused],
    ['a program of Linux', Buffer.from('\u007fELF\u0002'), programsRefused],
    ['a program of macOS', Buffer.from([0xcf, 0xfa, 0xed, 0xfe]), programsRefused],
    ['a script', '#!/bin/sh\nrm -rf /', programsRefused],
    ['an old document with macros', Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 0xa1]), programsRefused],
    ['a page', '<!DOCTYPE html><script>', pagesRefused],
    ['a page behind a mark and spaces', '\u{feff} \n\t<svg onload=x>', pagesRefused],
    ['a page in UTF-16', Buffer.from('\u{feff}<html>', 'utf16le'), pagesRefused],
    ['a page in UTF-16 without a mark', Buffer.from('<html>', 'utf16le'), pagesRefused],
    ['a page behind 60,000 spaces', `${' '.repeat(60_000)}<html>`, pagesRefused],
    ['an archive with a program', zip(['a.txt', 'docs/setup.EXE']), programsRefused],
    ['an archive with a program behind dots', zip(['setup.exe. .']), programsRefused],
    ['a document with macros', zip(['[Content_Types].xml', 'word/vbaProject.bin']), programsRefused],
    ['a program of Java', zip(['META-INF/MANIFEST.MF', 'A.class']), programsRefused],
    ['an archive that is cut', zip(['a.txt', 'b.txt']).subarray(0, 60), 'The archive is damaged or of an unusual kind'],
    [
      'an archive with something behind it',
      Buffer.concat([zip(['a.txt']), Buffer.from('MZ')]),
      'The archive is damaged or of an unusual kind',
    ],
    ['an archive that tells two stories', zip(['a.txt'], { local: 'a.exe' }), 'The archive is damaged or of an unusual kind'],
    ['a text with controls', 'a\u001b[2Jb', typesRefused],
    ['a PDF behind something else', ' \u0000%PDF-1.7', typesRefused],
    ['a bitmap that is none', 'BM\u0000\u0001', typesRefused],
    ['a certificate with something behind it', Buffer.concat([Buffer.from([0x30, 0x1e]), Buffer.alloc(31)]), typesRefused],
  ])('is refused: %s', async (_name, bytes, says) => {
    expect((await send(bytes)).says).toBe(says)
    expect(await contents()).toEqual([])
  })
})

describe('A name', () => {
  const pdf = { type: 'application/pdf', endings: ['pdf'] }
  test.each([
    ['../../etc/passwd', 'passwd.pdf'],
    ['C:\\Windows\\a.pdf', 'a.pdf'],
    ['invoice\u202efdp.exe', 'invoicefdp.exe.pdf'],
    ['a\r\nSet-Cookie: x.pdf', 'aSet-Cookie x.pdf'],
    ['.htaccess', 'htaccess.pdf'],
    ['con.pdf', '_con.pdf'],
    ['', 'file.pdf'],
    ['....pdf', 'pdf.pdf'],
    ['...', 'file.pdf'],
    ['a.PDF', 'a.PDF'],
    [`${'x'.repeat(500)}.pdf`, `${'x'.repeat(120)}.pdf`],
    ['a\ud800.pdf', 'a\ufffd.pdf'],
    ['a%2f.pdf ', 'a2f.pdf'],
  ])('%j becomes %j', (given, name) => expect(safeFileName(given, pdf)).toBe(name))

  test('cannot break out of its header', () =>
    expect(attachmentDisposition(`a";x='é`)).toBe(`attachment; filename="a_;x='_"; filename*=UTF-8''a%22%3Bx%3D%27%C3%A9`))
})

describe('Bytes', () => {
  test('stand once in a tenancy, count once, and go with their last attachment', async () => {
    const [one, two] = [await send(png, { about: 'one' }), await send(png, { about: 'two' })]
    expect([await contents(), await within(attachedBytes)]).toEqual([[48], 48])
    expect(await within((tenancy) => removeAttachments(tenancy, { kind, about: 'one', id: one.id }))).toBe(1)
    expect((await take(one.id)).status).toBe(404)
    expect((await take(two.id, { about: 'two' })).status).toBe(200)
    expect(await within((tenancy) => removeAttachments(tenancy, { kind, about: 'two' }))).toBe(1)
    expect([await contents(), await within(attachedBytes)]).toEqual([[], 0])
  })

  test('keep the limit of the tenancy, also where many come at once, and a refused file leaves nothing', async () => {
    limit = 100
    const texts = Array.from({ length: 8 }, (_, at) => `${at}`.repeat(40))
    const sent = await Promise.all(texts.map((text) => send(text)))
    limit = 64 * 1024 * 1024
    expect(sent.filter(({ says }) => says === 'taken')).toHaveLength(2)
    expect(new Set(sent.map(({ says }) => says))).toEqual(new Set(['taken', 'The organisation has no room left for attachments']))
    expect([await contents(), await within(attachedBytes)]).toEqual([[40, 40], 80])
    await clear()
  })

  test('are not lost where one removes the last attachment while others attach the same', async () => {
    const ids = await Promise.all(Array.from({ length: 6 }, async () => (await send(png)).id))
    expect([await contents(), (await within((tenancy) => listAttachments(tenancy, { kind, about: 'one' }))).length]).toEqual([[48], 6])
    await Promise.all([
      ...ids.map((id) => within((tenancy) => removeAttachments(tenancy, { kind, about: 'one', id }))),
      ...Array.from({ length: 4 }, () => send(png, { about: 'two' })),
    ])
    const left = await within((tenancy) => listAttachments(tenancy, { kind, about: 'two' }))
    expect([left.length, await contents(), await within(attachedBytes)]).toEqual([4, [48], 48])
    for (const { id } of left) expect((await (await take(id, { about: 'two' })).arrayBuffer()).byteLength).toBe(48)
    await clear()
  })
})

describe('Another tenancy', () => {
  test('has bytes of its own, and finds, counts and removes nothing here', async () => {
    const { id } = await send(png)
    await send(png, { who: bob })
    expect([await contents(), await contents(bob.tenantId)]).toEqual([[48], [48]])
    expect((await take(id, { who: bob })).status).toBe(404)
    expect(await within((tenancy) => removeAttachments(tenancy, { kind, about: 'one', id }), bob.tenantId)).toBe(0)
    await within((tenancy) => removeAttachments(tenancy, { kind, about: 'one' }), bob.tenantId)
    expect([await contents(), await contents(bob.tenantId)]).toEqual([[48], []])
    expect((await take(id)).status).toBe(200)
    expect((await take(id, { about: 'other' })).status).toBe(404)
    expect((await take("'; drop table attachments")).status).toBe(404)
    await clear()
  })
})
