// Something of everything, for tests that look at all screens: people, a two-tier authority with its templates, certificates in several states,
// requests and revocations that wait, and a second tenancy. Made by calls.

import { certificates } from '#areas/certificates/contract.ts'
import { revocation } from '#areas/revocation/contract.ts'
import { roles } from '#areas/roles/contract.ts'
import { sessions } from '#areas/sessions/contract.ts'
import { setup } from '#areas/setup/contract.ts'
import { templates } from '#areas/templates/contract.ts'
import { users } from '#areas/users/contract.ts'
import { invite, setUp, type Person } from './people.ts'
import type { Product } from './product.ts'
import { openWorkbench } from './workbench.ts'

export type Estate = {
  ada: Person
  bob: Person
  rootId: string
  caId: string
  /** Asks one approver. */
  serverTemplateId: string
  /** Asks nobody; a revocation asks one. */
  deviceTemplateId: string
  certId: string
  serialNumber: string
  revokedId: string
  /** Its revocation waits. */
  contestedId: string
  contestedSerial: string
  /** Bob's, waiting for Ada or others. */
  waitingRequestId: string
  userId: string
  roleId: string
  /** Not used yet. */
  activationLink: string
  /** Of a key of its own each. */
  csr(name: string): string
  clear(): void
}

export async function furnish(product: Product): Promise<Estate> {
  const { administrator: ada, answer } = await setUp(product, 'ada', {
    organisation: 'Northwind',
    rootName: 'Northwind Root',
    issuingName: 'Northwind Issuing',
  })
  const bob = await invite(product, ada, 'bob', 'Certificate officer')
  const [rootId = '', caId = ''] = answer.authorities.map((one) => one.caId)
  const offered = (await ada.call(templates.calls.offered, { entity: 'device' })).templates
  const idOf = (name: string): string => {
    const found = offered.find(({ templateName }) => templateName === name)
    if (found === undefined)
      throw new Error(`The template ${name} is not offered; these are: ${offered.map((one) => one.templateName).join(', ')}`)
    return found.templateId
  }
  const [serverTemplateId, deviceTemplateId] = [idOf('TLSServer'), idOf('Device')]
  const { caName: _, updatedAt: __, ...device } = await ada.call(templates.calls.get, { templateId: deviceTemplateId })
  await ada.call(templates.calls.edit, { ...device, revocationApprovers: 1 })

  const bench = openWorkbench()
  const csr = (name: string): string => {
    bench.run(
      'openssl',
      'req',
      '-new',
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:P-256',
      '-nodes',
      '-keyout',
      `${name}.key`,
      '-out',
      `${name}.csr`,
      '-subj',
      `/CN=${name}`,
      '-addext',
      `subjectAltName=DNS:${name}`,
    )
    return bench.read(`${name}.csr`).toString()
  }
  const ask = (by: Person, templateId: string, name: string) =>
    by.call(certificates.calls.requestForDevice, {
      templateId,
      csr: csr(name),
      values: templateId === deviceTemplateId ? { CommonName: [name], DNS: [name] } : {},
    })
  const issue = async (name: string): Promise<string> => {
    const { requestId } = await ask(ada, serverTemplateId, name)
    return (
      (await bob.call(certificates.calls.decide, { requestId, round: 1, verdict: 'approve', comment: 'As agreed' })).certificateId ?? ''
    )
  }
  const certId = await issue('www.northwind.example')
  const revokedId = await issue('old.northwind.example')
  await ada.call(revocation.calls.revoke, { certId: revokedId, reason: 'superseded' })
  const contestedId = (await ask(ada, deviceTemplateId, 'printer.northwind.example')).certificateId ?? ''
  await ada.call(revocation.calls.revoke, { certId: contestedId, reason: 'cessationOfOperation', note: 'It was given away' })
  const waitingRequestId = (await ask(bob, serverTemplateId, 'shop.northwind.example')).requestId

  const role = (await ada.call(roles.calls.search, {})).rows[0]
  const { id: userId, activationLink } = await ada.call(users.calls.add, {
    username: 'cleo',
    givenName: 'Cleo',
    familyName: 'Example',
    emailAddress: 'cleo@example.org',
    roleIds: role === undefined ? [] : [role.id],
  })
  const roleId = (
    await ada.call(roles.calls.add, {
      name: 'Reader',
      description: 'Looks and changes nothing',
      view: ['certView', 'search'],
      menu: ['certView', 'search'],
      api: ['certView'],
    })
  ).id
  await ada.call(sessions.calls.addToken, { name: 'Deployment', days: 30, password: ada.password })
  await ada.call(setup.calls.addTenancy, {
    name: 'Contoso',
    bannerColour: '#ffd400',
    administrator: { username: 'dora', givenName: 'Dora', familyName: 'Example', emailAddress: 'dora@example.org' },
  })
  const serialOf = async (id: string) => (await ada.call(certificates.calls.info, { certId: id })).certificate.serialNumber
  return {
    serialNumber: await serialOf(certId),
    contestedSerial: await serialOf(contestedId),
    ada,
    bob,
    rootId,
    caId,
    serverTemplateId,
    deviceTemplateId,
    certId,
    revokedId,
    contestedId,
    waitingRequestId,
    userId,
    roleId,
    activationLink,
    csr,
    clear: bench.clear,
  }
}
