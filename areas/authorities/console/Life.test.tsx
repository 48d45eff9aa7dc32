import { screen, waitFor, within } from '@testing-library/react'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { expectAccessible, showScreen } from '#core/console/testing/render.tsx'
import type { TestPerson } from '#core/testing/house.ts'
import { houseForScreens } from '#core/testing/screens.ts'
import { openToolFolder, type ToolFolder } from '#standards/tool-folder.fixture.ts'
import { authorities } from '../contract.ts'
import { AddOffline } from './AddOffline.tsx'
import { Authorities } from './Authorities.tsx'
import { CrossCertify } from './CrossCertify.tsx'
import { RenewAuthority } from './RenewAuthority.tsx'

const { house, as } = await houseForScreens()
const base = '/pki/manage/certificate-authorities'
const { create, view, life, list } = authorities.calls

let ada: TestPerson
let opinion: ToolFolder

beforeAll(async () => {
  opinion = openToolFolder()
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
    'outer.key',
    '-out',
    'outer.pem',
    '-days',
    '3650',
    '-subj',
    '/CN=Outer Root',
    '-addext',
    'basicConstraints=critical,CA:TRUE',
    '-addext',
    'keyUsage=critical,keyCertSign,cRLSign',
  )
})
afterAll(() => opinion.remove())
beforeEach(async () => {
  ada = await (await house.tenancy(`Tenancy ${Math.random()}`)).person({ permissions: ['manageCAs'] })
  as(ada)
})

const makeRoot = async (CN = 'Acme Root', more = {}) =>
  (await ada.call(create, { kind: 'root', friendlyName: CN, subject: { CN }, ...more })).caId
const outer = () => opinion.run('openssl', 'x509', '-in', 'outer.pem')

describe('renewing an authority', () => {
  it('with the same key leads to a later end', async () => {
    const caId = await makeRoot('Acme Root', { validityPeriod: 2 })
    const { user } = showScreen(<RenewAuthority />, { at: `${base}/${caId}/renew`, path: authorities.screens.renew.path })
    await screen.findByRole('heading', { level: 1, name: 'Renew Acme Root' })
    await expectAccessible()
    await user.click(await screen.findByRole('button', { name: 'Next' }))
    await user.click(await screen.findByRole('button', { name: 'Renew certificate' }))
    expect(await screen.findByText('Another screen')).toBeDefined()
    expect((await ada.call(life, { caId })).certificates.map(({ putForward }) => putForward)).toEqual([false, true])
  })

  it('with a new key makes a successor, shows the overlap, and lets it take over', async () => {
    const caId = await makeRoot()
    const { user } = showScreen(<RenewAuthority />, { at: `${base}/${caId}/renew`, path: authorities.screens.renew.path })
    await user.click(await screen.findByRole('radio', { name: /New key: a successor/ }))
    expect(screen.getByText(/Two link certificates are made/)).toBeDefined()
    await user.click(screen.getByRole('button', { name: 'Next' }))
    expect(await screen.findByRole('textbox', { name: /Name in Chancery/ })).toHaveProperty('value', 'Acme Root 2')
    await expectAccessible()
    await user.click(screen.getByRole('button', { name: 'Create successor' }))
    expect(await screen.findByRole('img', { name: /Acme Root until .*, Acme Root 2 until/ })).toBeDefined()
    await user.click(await screen.findByRole('radio', { name: /At a time/ }))
    expect(await screen.findByLabelText(/^Day and time/)).toBeDefined()
    await expectAccessible()
    await user.click(screen.getByRole('radio', { name: 'Now' }))
    await user.click(screen.getByRole('button', { name: 'Let it take over' }))
    expect(await screen.findByText(/The successor took over/)).toBeDefined()
    expect((await ada.call(life, { caId })).movedAt).toBeDefined()
  })
})

describe('the certificates of an authority', () => {
  it('stand in a table with who signed them, and those it gave in another', async () => {
    const caId = await makeRoot()
    const other = await makeRoot('Other Root')
    await ada.call(authorities.calls.crossCertify, { caId, otherCaId: other })
    showScreen(<Authorities />, { at: `${base}/${other}?tab=life`, path: authorities.screens.manage.path })
    const own = within(await screen.findByRole('table', { name: 'Its certificates' }))
    expect(own.getByText('Itself')).toBeDefined()
    expect(own.getByText('In use')).toBeDefined()
    expect(own.getByRole('link', { name: 'CN=Acme Root' }).getAttribute('href')).toBe(`${base}/${caId}?tab=life`)
    expect(screen.getByText('It has given none.')).toBeDefined()
    await expectAccessible()
  })

  it('show a cross-certificate and what lint says of it before it is signed', async () => {
    const caId = await makeRoot()
    const { user } = showScreen(<CrossCertify />, { at: `${base}/${caId}/cross-certify`, path: authorities.screens.cross.path })
    await user.click(await screen.findByRole('textbox', { name: /Its certificate or request/ }))
    await user.paste(outer())
    expect(await screen.findByText('CN=Outer Root')).toBeDefined()
    expect(screen.getByText('No problems found.')).toBeDefined()
    expect((await ada.call(life, { caId })).given).toEqual([])
    await expectAccessible()
  })

  it('are joined by a cross-certificate for an outside authority, whose faults stand at the field', async () => {
    const caId = await makeRoot()
    const { user } = showScreen(<CrossCertify />, { at: `${base}/${caId}/cross-certify`, path: authorities.screens.cross.path })
    await user.click(await screen.findByRole('button', { name: 'Issue cross-certificate' }))
    expect((await screen.findAllByText(/Paste the request or the certificate/)).length).toBeGreaterThan(0)
    const field = screen.getByRole('textbox', { name: /Its certificate or request/ })
    await user.click(field)
    await user.paste((await ada.call(view, { caId })).certificate?.pem ?? '')
    await user.click(screen.getByRole('button', { name: 'Issue cross-certificate' }))
    expect((await screen.findAllByText(/This is the key of Acme Root itself/)).length).toBeGreaterThan(0)
    await expectAccessible()
    await user.clear(field)
    await user.click(field)
    await user.paste(outer())
    await user.click(screen.getByRole('button', { name: 'Issue cross-certificate' }))
    expect(await screen.findByText('Another screen')).toBeDefined()
    expect((await ada.call(life, { caId })).given).toMatchObject([{ role: 'cross', subject: 'CN=Outer Root' }])
  })
})

describe('an offline authority', () => {
  it('is added by its certificate, and has a place for requests and lists', async () => {
    const { user } = showScreen(<AddOffline />, { at: authorities.screens.offline.path, path: authorities.screens.offline.path })
    await user.fill(await screen.findByRole('textbox', { name: /Name in Chancery/ }), 'Vault')
    const field = screen.getByRole('textbox', { name: /Its certificate/ })
    await user.click(field)
    await user.paste(outer())
    await expectAccessible()
    await user.click(screen.getByRole('button', { name: 'Add offline authority' }))
    expect(await screen.findByText('Another screen')).toBeDefined()
    const [vault] = (await ada.call(list, {})).rows
    const { user: later } = showScreen(<Authorities />, { at: `${base}/${vault?.id}`, path: authorities.screens.manage.path })
    expect(await screen.findByText('Offline: its key is not here')).toBeDefined()
    expect(screen.queryByRole('button', { name: 'Switch on issuing' })).toBeNull()
    await later.click(screen.getByRole('tab', { name: 'Own certificates' }))
    await waitFor(() => expect(screen.getByRole('table', { name: 'Its certificates' })).toBeDefined())
  })
})
