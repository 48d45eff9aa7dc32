import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { authorities } from '#areas/authorities/contract.ts'
import { certificates } from '#areas/certificates/contract.ts'
import { openIssuing, openSsl } from '#areas/certificates/server/issuing.fixture.ts'
import { revocation } from '#areas/revocation/contract.ts'
import { useHouse, type TestPerson } from '#core/testing/house.ts'
import { visualiser } from '../contract.ts'
import { treeOf } from '../rules.ts'

let external: TestPerson
const tools = openSsl()

const house = await useHouse()
const pki = await openIssuing(house, tools, 'Acme')
const ada = pki.tenancy.administrator
beforeAll(async () => {
  external = (await house.tenancy('Globex')).administrator
})
afterAll(async () => {
  tools.close()
})

const graph = (by = ada) => by.call(visualiser.calls.graph, {})
const nodeOf = async (id: string) => (await graph()).nodes.find((node) => node.id === id)

async function issue(): Promise<string> {
  const templateId = await pki.addTemplate('TLSServer', { issueApprovers: 0 })
  const { certificateId = '' } = await ada.call(certificates.calls.request, { entity: 'device', templateId, csr: tools.csr().csr })
  return certificateId
}

describe('The picture of the authorities', () => {
  test('shows who signed whom, and counts by status what each has issued', async () => {
    const [first] = [await issue(), await issue()]
    await ada.call(revocation.calls.revoke, { certId: first ?? '', reason: 'superseded' })
    const { nodes, links } = await graph()
    expect(nodes.map(({ label }) => label).toSorted()).toEqual(['Acme Issuing', 'Acme Root'])
    expect(links).toEqual([{ from: pki.rootId, to: pki.caId, kind: 'signed' }])
    expect((await nodeOf(pki.caId))?.certificates).toEqual({ active: 1, expiring: 0, expired: 0, onHold: 0, revoked: 1 })
    expect((await nodeOf(pki.caId))?.templates).toBeGreaterThan(0)
    const { total } = await ada.call(certificates.calls.search, { caId: [pki.caId], status: ['active'] })
    expect(total).toBe(1)
  })

  test('shows those outside that stand above one of ours, by their certificates', async () => {
    const { caId } = await ada.call(authorities.calls.create, {
      kind: 'outside',
      friendlyName: 'Acme Outside',
      subject: { CN: 'Acme Outside' },
      keyAlgorithm: 'P-256',
    })
    expect(await nodeOf(caId)).toMatchObject({ status: 'PendingCert', kind: 'outside' })
    const { request = '' } = await ada.call(authorities.calls.view, { caId })
    const rootKey = tools.write('')
    const config = tools.write(
      '[req]\ndistinguished_name=dn\n[dn]\n[ca]\nbasicConstraints=critical,CA:true\nkeyUsage=critical,keyCertSign,cRLSign\nsubjectKeyIdentifier=hash\nauthorityKeyIdentifier=keyid\n',
    )
    const root = tools.run(
      'req',
      '-x509',
      '-config',
      config,
      '-extensions',
      'ca',
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:P-256',
      '-nodes',
      '-keyout',
      rootKey,
      '-subj',
      '/CN=Elsewhere Root',
      '-days',
      '30',
    )
    const certificate = tools.run(
      'x509',
      '-req',
      '-in',
      tools.write(request),
      '-CA',
      tools.write(root),
      '-CAkey',
      rootKey,
      '-CAcreateserial',
      '-days',
      '20',
      '-extfile',
      config,
      '-extensions',
      'ca',
    )
    await ada.call(authorities.calls.importCertificate, { caId, certificate: `${certificate}\n${root}` })
    const { nodes, links } = await graph()
    const outside = nodes.find(({ label }) => label === 'Elsewhere Root')
    expect(outside).toMatchObject({ kind: 'root', status: 'ActiveCert' })
    expect(outside?.caId).toBeUndefined()
    const tree = treeOf(nodes, links).find(({ node }) => node.id === outside?.id)
    expect(tree?.below.map(({ node }) => node.label)).toEqual(['Acme Outside'])
  })

  test('shows who vouches for whom besides, here and outside, until when, and who follows whom', async () => {
    const { caId: other } = await ada.call(authorities.calls.create, {
      kind: 'root',
      friendlyName: 'Acme Other',
      subject: { CN: 'Acme Other' },
      keyAlgorithm: 'P-256',
    })
    await ada.call(authorities.calls.crossCertify, { caId: pki.rootId, otherCaId: other, validityPeriod: 2 })
    const partner = tools.run(
      'req',
      '-x509',
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:P-256',
      '-nodes',
      '-keyout',
      tools.write(''),
      '-subj',
      '/O=Partner/CN=Partner Root',
      '-days',
      '900',
      '-addext',
      'keyUsage=critical,keyCertSign,cRLSign',
    )
    await ada.call(authorities.calls.crossCertify, { caId: pki.rootId, other: partner, validityPeriod: 1 })
    const { caId: successor } = await ada.call(authorities.calls.succeed, { caId: other, friendlyName: 'Acme Next' })
    const { nodes, links } = await graph()
    const external = nodes.find(({ label }) => label === 'Partner Root')
    expect(external).toMatchObject({ kind: 'outside', key: expect.stringContaining('P-256') })
    expect(external?.status).toBeUndefined()
    const besides = links.filter(({ kind }) => kind !== 'signed')
    expect(besides).toHaveLength(3)
    expect(besides).toEqual(
      expect.arrayContaining([
        { from: pki.rootId, to: other, kind: 'cross', until: expect.any(String) },
        { from: pki.rootId, to: external?.id, kind: 'cross', until: expect.any(String) },
        { from: other, to: successor, kind: 'successor' },
      ]),
    )
    const roots = treeOf(nodes, links).map(({ node }) => node.label)
    for (const label of ['Acme Root', 'Acme Other', 'Acme Next', 'Partner Root']) expect(roots).toContain(label)
  })

  test('is empty for a tenancy that has none, and shows nothing of another', async () => {
    expect(await graph(external)).toEqual({ nodes: [], links: [] })
  })
})
