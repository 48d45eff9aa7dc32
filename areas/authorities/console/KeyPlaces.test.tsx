import { screen, waitFor, within } from '@testing-library/react'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { keys } from '#areas/keys/contract.ts'
import { openSoftHsm, type SoftHsm } from '#areas/keys/server/pkcs11/softhsm.fixture.ts'
import { expectAccessible, showScreen } from '#core/console/testing/render.tsx'
import { openTestHouse, type TestHouse, type TestPerson } from '#core/testing/house.ts'
import { leadFetchTo } from '#core/testing/little-server.ts'
import { authorities } from '../contract.ts'
import { Authorities } from './Authorities.tsx'

const base = '/pki/manage/certificate-authorities'

let hsm: SoftHsm
let house: TestHouse
let ada: TestPerson
let restore = () => {}

beforeAll(async () => {
  hsm = openSoftHsm()
  hsm.token('ca', '246810')
  house = await openTestHouse({ settings: { CHANCERY_PKCS11_MODULES: hsm.modulePath } })
  ada = await (await house.tenancy('Acme')).person({ permissions: 'all' })
  const [{ module = '', tokens = [] } = {}] = (await ada.call(keys.calls.found, {})).modules
  await ada.call(keys.calls.register, { name: 'Vault', module, label: 'ca', serial: tokens[0]?.serial ?? '', pin: '246810' })
})
afterAll(async () => {
  await house.close()
  hsm.close()
})
beforeEach(() => {
  restore = leadFetchTo(house.origin, { authorization: `Bearer ${ada.token}` })
})
afterEach(() => restore())

it('the form of a new authority offers the tokens and what each can make, and the authority has its key there', async () => {
  const { user, router } = showScreen(<Authorities />, { at: `${base}/new`, path: authorities.screens.manage.path })
  await user.click(await screen.findByRole('combobox', { name: /Where the key lives/ }))
  await user.click(await screen.findByRole('option', { name: 'On the token Vault' }))
  await user.click(screen.getByRole('combobox', { name: /Key type/ }))
  expect(screen.getAllByRole('option').map((option) => option.textContent)).toEqual([
    'RSA 2048',
    'RSA 3072',
    'RSA 4096',
    'EC P-256 (recommended)',
    'EC P-384',
    'EC P-521',
    'Ed25519',
    'Ed448',
  ])
  await user.click(screen.getByRole('option', { name: 'EC P-384' }))
  await user.fill(screen.getByRole('textbox', { name: /^Common name/ }), 'Token Root')
  await expectAccessible()
  await user.click(screen.getByRole('button', { name: 'Create authority' }))
  expect(await screen.findByText('On the token Vault')).toBeDefined()
  await waitFor(() => expect(router.state.location.pathname).not.toBe(`${base}/new`))
})

it('an authority whose token is away says so in the list and on its page, until the token is back', async () => {
  const [{ id = '' } = {}] = (await ada.call(authorities.calls.list, {})).rows
  hsm.takeAway()
  try {
    await house.runJob(keys.jobs.tokens)
    const list = showScreen(<Authorities />, { at: base, path: authorities.screens.manage.path })
    expect(await within(await screen.findByRole('table', { name: 'Authorities' })).findByText('Key unavailable')).toBeDefined()
    list.unmount()
    const page = showScreen(<Authorities />, { at: `${base}/${id}`, path: authorities.screens.manage.path })
    expect(await screen.findByText('The key of the authority is unavailable: the token is not there')).toBeDefined()
    await expectAccessible()
    page.unmount()
  } finally {
    hsm.putBack()
  }
  await house.runJob(keys.jobs.tokens)
  expect((await ada.call(authorities.calls.list, {})).rows[0]).not.toHaveProperty('unavailable')
})
