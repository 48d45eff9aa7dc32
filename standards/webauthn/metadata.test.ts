import { sign } from 'node:crypto'
import { afterAll, describe, expect, test } from 'vitest'
import { parseCertificate } from '../x509/certificate.ts'
import { openManufacturer, type Signer } from './manufacturer.fixture.ts'
import { readMetadata } from './metadata.ts'

const alliance = openManufacturer()
const stranger = openManufacturer()
afterAll(() => [alliance, stranger].forEach(({ close }) => close()))

const aaguid = '11111111-2222-3333-4444-555555555555'
const trust = { roots: [parseCertificate(alliance.root)], at: new Date(Date.now() + 3_600_000) }
const statement = {
  description: ' Key One ',
  aaguid,
  attestationRootCertificates: [alliance.root.toString('base64')],
  icon: 'data:image/png;base64,AAAA',
}
const read = (value: unknown) => readMetadata(JSON.stringify(value), trust).models

function signed(payload: unknown, { key, chain }: Signer): string {
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const text = `${part({ alg: 'ES256', typ: 'JWT', x5c: chain.map((one) => one.toString('base64')) })}.${part(payload)}`
  return `${text}.${sign('sha256', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' }).toString('base64url')}`
}

describe('Metadata', () => {
  test('is one statement, a list of them, or the entries of a list', () => {
    const model = { aaguid, name: 'Key One', icon: statement.icon, roots: [alliance.root], compromised: false }
    expect(read(statement)).toEqual([model])
    expect(read([statement])).toEqual([model])
    expect(read({ entries: [{ aaguid, metadataStatement: statement, statusReports: [{ status: 'FIDO_CERTIFIED' }] }] })).toEqual([model])
  })

  test('tells what was reported as broken, until a later report says otherwise; a revocation stays', () => {
    const compromised = (...statuses: string[]) =>
      read({ entries: [{ aaguid, metadataStatement: statement, statusReports: statuses.map((status) => ({ status })) }] })[0]?.compromised
    expect(compromised('FIDO_CERTIFIED', 'USER_KEY_REMOTE_COMPROMISE')).toBe(true)
    expect(compromised('USER_KEY_REMOTE_COMPROMISE', 'UPDATE_AVAILABLE')).toBe(false)
    expect(compromised('REVOKED', 'FIDO_CERTIFIED')).toBe(true)
  })

  test('without a model, or without sense, is refused in words', () => {
    expect(() => read([])).toThrow('no model in it has an AAGUID')
    expect(() => read({ ...statement, aaguid: '00000000-0000-0000-0000-000000000000' })).toThrow('no model')
    expect(() => readMetadata('<html>', trust)).toThrow('it is neither JSON nor a signed list')
    expect(read({ ...statement, icon: 'https://evil.test/pixel.png', attestationRootCertificates: ['AAAA', 7] })).toMatchObject([
      { icon: '', roots: [] },
    ])
  })
})

describe('The signed list', () => {
  const payload = { no: 1, entries: [{ aaguid, metadataStatement: statement, statusReports: [] }] }

  test('is taken where it leads from the Alliance to a trusted root', () => {
    expect(readMetadata(signed(payload, alliance.lister('mds.fidoalliance.org')), trust)).toMatchObject({
      no: 1,
      models: [{ aaguid, name: 'Key One' }],
    })
  })

  test('is refused from another signer, another root, and where a letter was changed', () => {
    const good = signed(payload, alliance.lister('mds.fidoalliance.org'))
    const [head = '', body = '', signature = ''] = good.split('.')
    const forged = Buffer.from(JSON.stringify({ ...payload, no: 2 })).toString('base64url')
    const refused = /signature does not lead from mds.fidoalliance.org/
    expect(() => readMetadata(signed(payload, alliance.lister('example.org')), trust)).toThrow(refused)
    expect(() => readMetadata(signed(payload, stranger.lister('mds.fidoalliance.org')), trust)).toThrow(refused)
    expect(() => readMetadata(`${head}.${forged}.${signature}`, trust)).toThrow('its signature does not fit')
    expect(() => readMetadata(`${body}.${body}.${signature}`, trust)).toThrow('its signature has no certificates')
  })
})
