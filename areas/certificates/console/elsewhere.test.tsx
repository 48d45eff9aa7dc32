import { screen, waitFor, within } from '@testing-library/react'
import { afterAll, afterEach, expect, test } from 'vitest'
import { expectAccessible, showScreen } from '#core/console/testing/render.tsx'
import { noPermission } from '#core/contract/permissions.ts'
import type { TestPerson } from '#core/testing/house.ts'
import { leadFetchTo } from '#core/testing/little-server.ts'
import { certificates } from '../contract.ts'
import { openSharedIssuing } from '../server/issuing.fixture.ts'
import { AddCertificate } from './AddCertificate.tsx'
import { Approval } from './Approval.tsx'
import { CollectCertificate } from './CollectCertificate.tsx'

const { calls, screens } = certificates
const { house, tools, pki, close } = await openSharedIssuing()
afterAll(close)

let restore = () => {}
afterEach(() => restore())
const as = (person: TestPerson): void => {
  restore()
  restore = leadFetchTo(house.origin, { authorization: `Bearer ${person.token}` })
}

test('An approver answers a request with the certificate of another issuer, and its requester finds and downloads it', async () => {
  const { csr, keyFile } = tools.csr()
  const certificate = tools.run(
    'req',
    '-x509',
    '-config',
    tools.write('[req]\ndistinguished_name=dn\n[dn]\n'),
    '-key',
    keyFile,
    '-subj',
    '/CN=www.example.org',
  )
  const { requestId, caId } = await pki.ada.call(calls.requestForDevice, { templateId: pki.template['TLSServer'] ?? '', csr, values: {} })
  as(pki.bob)
  const approving = showScreen(<Approval />, { at: `/credentials/certificates/approval/${requestId}`, path: screens.approval.path })
  await approving.user.click(await screen.findByRole('button', { name: 'Record the certificate' }))
  const section = within(screen.getByRole('region', { name: 'Issued elsewhere?' }))
  await approving.user.click(await section.findByRole('textbox', { name: /^Certificate/ }))
  await approving.user.paste(certificate)
  await expectAccessible()
  await approving.user.click(section.getByRole('button', { name: 'Answer the request with it' }))
  expect(await screen.findByRole('link', { name: 'Show certificate' })).toBeDefined()
  expect(screen.queryByRole('button', { name: 'Record the certificate' })).toBeNull()
  approving.unmount()

  as(pki.ada)
  const { certificate_id: certificateId } = await pki.ada.call(calls.statusByRequest, { rid: requestId })
  const collecting = showScreen(<CollectCertificate />, {
    at: `/admin/certificate/collect?ca=${caId}&id=${requestId}`,
    path: screens.collect.path,
  })
  await waitFor(() => expect(collecting.router.state.location.pathname).toBe(`/credentials/certificates/view/${certificateId}`))
  collecting.unmount()
  showScreen(<AddCertificate />, { at: `/credentials/certificates/device/add?request=${requestId}`, path: screens.add.path })
  expect(await screen.findByText('Issued elsewhere')).toBeDefined()
  expect(screen.getByRole('button', { name: 'Download certificate' })).toBeDefined()
  await expectAccessible()
})

test('Who may see no certificates downloads what they asked for', async () => {
  const templateId = await pki.addTemplate('User', { issueApprovers: 0, selfServiceEligible: true })
  const { requestId } = await pki.eve.call(calls.request, { entity: 'user', templateId, csr: tools.csr().csr })
  as(pki.eve)
  const files: Blob[] = []
  const make = URL.createObjectURL
  URL.createObjectURL = (file) => `blob:${files.push(file as Blob)}`
  const { user } = showScreen(<AddCertificate />, {
    at: `/credentials/certificates/user/add?request=${requestId}`,
    path: screens.add.path,
    viewer: { permission: noPermission },
  })
  await user.click(await screen.findByRole('button', { name: 'Download certificate' }))
  await waitFor(() => expect(files).toHaveLength(1))
  URL.createObjectURL = make
  expect(tools.run('x509', '-noout', '-issuer', '-in', tools.write((await files[0]?.text()) ?? ''))).toContain('Acme Issuing')
  expect(screen.queryByRole('link', { name: 'Show certificate' })).toBeNull()
})
