import { screen, waitFor } from '@testing-library/react'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { authorities } from '#areas/authorities/contract.ts'
import { expectAccessible, showScreen } from '#core/console/testing/render.tsx'
import type { TestPerson } from '#core/testing/house.ts'
import { houseForScreens } from '#core/testing/screens.ts'
import { openToolFolder, type ToolFolder } from '#standards/tool-folder.fixture.ts'
import { revocation } from '../contract.ts'
import { RevocationLists } from './RevocationLists.tsx'
import { RevokeAuthority } from './RevokeAuthority.tsx'
import { RevokeFurther } from './RevokeFurther.tsx'
import { UploadedList } from './UploadedList.tsx'

const { house, as } = await houseForScreens()
const { create, view, life } = authorities.calls

let ada: TestPerson
let opinion: ToolFolder

beforeAll(async () => {
  opinion = openToolFolder()
})
afterAll(() => opinion.remove())
beforeEach(async () => {
  ada = await (await house.tenancy(`Tenancy ${Math.random()}`)).person({ permissions: 'all' })
  as(ada)
})

const root = async (CN: string) => (await ada.call(create, { kind: 'root', friendlyName: CN, subject: { CN } })).caId
const open = (caId: string) =>
  showScreen(<RevokeAuthority />, {
    at: revocation.screens.revokeAuthority.path.replace(':id', caId),
    path: revocation.screens.revokeAuthority.path,
  })

it('an authority is revoked once its name is typed and the reason chosen', async () => {
  const rootId = await root('Screen Root')
  const caId = (
    await ada.call(create, { kind: 'subordinate', issuerId: rootId, friendlyName: 'Screen Issuing', subject: { CN: 'Screen Issuing' } })
  ).caId
  const { user } = open(caId)
  expect(await screen.findByText('This cannot be undone')).toBeDefined()
  await expectAccessible()
  await user.fill(screen.getByRole('textbox', { name: /Type the name of the authority: Screen Issuing/ }), 'Screen')
  await user.click(screen.getByRole('radio', { name: /^Authority compromise/ }))
  await user.click(screen.getByRole('button', { name: 'Revoke authority' }))
  await waitFor(() => expect(screen.getAllByText(/Type the name of the authority: Screen Issuing/).length).toBeGreaterThan(1))
  expect((await ada.call(view, { caId })).revocation).toBeUndefined()
  await user.type(screen.getByRole('textbox', { name: /Type the name/ }), ' Issuing')
  await user.click(screen.getByRole('button', { name: 'Revoke authority' }))
  expect(await screen.findByText('Another screen')).toBeDefined()
  expect((await ada.call(view, { caId })).revocation?.reason).toBe('cACompromise')
})

it('a root is told what can be done instead', async () => {
  open(await root('Screen Root'))
  expect(await screen.findByText(/A root signs itself/)).toBeDefined()
  expect(screen.getByRole('button', { name: 'Download distrust sheet' })).toBeDefined()
  expect(screen.queryByRole('button', { name: 'Revoke authority' })).toBeNull()
  await expectAccessible()
})

it('a cross-certificate is revoked beside its row', async () => {
  const [one, two] = [await root('One'), await root('Two')]
  const { certificateId } = await ada.call(authorities.calls.crossCertify, { caId: one, otherCaId: two })
  const { user } = showScreen(<RevokeFurther certificateId={certificateId} subject="CN=Two" revoked={false} />)
  await user.click(await screen.findByRole('button', { name: 'Revoke the certificate of CN=Two' }))
  await user.click(await screen.findByRole('radio', { name: 'Superseded' }))
  await user.click(screen.getByRole('button', { name: 'Revoke certificate' }))
  await expect.poll(async () => (await ada.call(life, { caId: one })).given[0]?.revocation?.reason).toBe('superseded')
})

it('the list of an offline authority is brought, and a wrong one is refused at the field', async () => {
  opinion.write('index.txt', '')
  opinion.write('crlnumber', '05\n')
  opinion.write(
    'ca.cnf',
    `[ca]\ndefault_ca=d\n[d]\ndatabase=${opinion.folder}/index.txt\ncrlnumber=${opinion.folder}/crlnumber\ndefault_md=sha256\ndefault_crl_days=30\ncertificate=${opinion.folder}/vault.pem\nprivate_key=${opinion.folder}/vault.key\ncrl_extensions=c\n[c]\nauthorityKeyIdentifier=keyid\n`,
  )
  opinion.run(
    'openssl',
    'req',
    '-x509',
    '-newkey',
    'ec',
    '-pkeyopt',
    'ec_paramgen_curve:P-256',
    '-nodes',
    '-keyout',
    'vault.key',
    '-out',
    'vault.pem',
    '-days',
    '3650',
    '-subj',
    '/CN=Vault',
    '-addext',
    'basicConstraints=critical,CA:TRUE',
    '-addext',
    'keyUsage=critical,keyCertSign,cRLSign',
  )
  const { caId } = await ada.call(authorities.calls.addOffline, {
    friendlyName: 'Vault',
    certificate: opinion.run('openssl', 'x509', '-in', 'vault.pem'),
  })
  const lists = showScreen(<RevocationLists />)
  expect((await screen.findByRole('link', { name: 'Bring the list of Vault' })).getAttribute('href')).toBe(
    `/pki/manage/certificate-authorities/${caId}?tab=addresses`,
  )
  expect(screen.queryByRole('button', { name: /^Publish now/ })).toBeNull()
  lists.unmount()
  const { user } = showScreen(<UploadedList caId={caId} />)
  expect(await screen.findByText('Due')).toBeDefined()
  const field = await screen.findByRole('textbox', { name: /Next list/ })
  await user.click(field)
  await user.paste(opinion.run('openssl', 'x509', '-in', 'vault.pem'))
  await user.click(screen.getByRole('button', { name: 'Publish list' }))
  expect((await screen.findAllByText(/Bring a revocation list/)).length).toBeGreaterThan(0)
  await expectAccessible()
  await user.clear(field)
  await user.click(field)
  await user.paste(opinion.run('openssl', 'ca', '-gencrl', '-config', 'ca.cnf'))
  await user.click(screen.getByRole('button', { name: 'Publish list' }))
  expect(await screen.findByText('5')).toBeDefined()
})
