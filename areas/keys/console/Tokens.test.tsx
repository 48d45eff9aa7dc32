import { screen, waitFor, within } from '@testing-library/react'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { expectAccessible, showScreen } from '#core/console/testing/render.tsx'
import { openTestHouse, type TestHouse, type TestPerson } from '#core/testing/house.ts'
import { answering, leadFetchTo } from '#core/testing/little-server.ts'
import { keys } from '../contract.ts'
import { openSoftHsm, type SoftHsm } from '../server/pkcs11/softhsm.fixture.ts'
import { EditToken } from './EditToken.tsx'
import { RegisterToken } from './RegisterToken.tsx'
import { TokenList } from './TokenList.tsx'
import { TokenPage } from './TokenPage.tsx'

const { screens, calls } = keys
const at = {
  list: { at: screens.tokens.path, path: screens.tokens.path },
  register: { at: screens.register.path, path: screens.register.path },
}

let hsm: SoftHsm
let house: TestHouse
let ada: TestPerson
let restore = () => {}

beforeAll(async () => {
  hsm = openSoftHsm()
  hsm.token('ca-a', '246810')
  hsm.token('ca-b', '135790')
  house = await openTestHouse({ settings: { CHANCERY_PKCS11_MODULES: hsm.modulePath } })
  ada = await (await house.tenancy('Acme')).person({ permissions: 'all' })
})
afterAll(async () => {
  await house.close()
  hsm.close()
})
beforeEach(() => {
  restore = leadFetchTo(house.origin, { authorization: `Bearer ${ada.token}` })
})
afterEach(() => restore())

describe('the registering of a token', () => {
  it('offers what the module sees, refuses a wrong PIN at its field, and takes the right one', async () => {
    const { user, router } = showScreen(<RegisterToken />, at.register)
    await user.click(await screen.findByRole('combobox', { name: /^Token/ }))
    await user.click(await screen.findByRole('option', { name: /^ca-a/ }))
    expect((screen.getByRole('textbox', { name: /Name in Chancery/ }) as HTMLInputElement).value).toBe('ca-a')
    await user.fill(screen.getByLabelText(/^PIN/), '999999')
    await expectAccessible()
    await user.click(screen.getByRole('button', { name: 'Register token' }))
    expect((await screen.findAllByText('The token refused its PIN')).length).toBeGreaterThan(0)
    await user.fill(screen.getByLabelText(/^PIN/), '246810')
    await user.click(screen.getByRole('button', { name: 'Register token' }))
    await waitFor(() => expect(router.state.location.pathname).toBe(screens.tokens.path))
    expect((await ada.call(calls.list, {})).rows).toMatchObject([{ name: 'ca-a', state: 'available' }])
  })

  it('says who can allow a module where none is allowed', async () => {
    restore()
    await answering({ 'POST /api2/PKI-v1/TokensFound': { modules: [] } })
    showScreen(<RegisterToken />, at.register)
    expect(await screen.findByText('No PKCS#11 module is allowed here')).toBeDefined()
    await expectAccessible()
  })

  it('says what is wrong with a module, and that no token is there', async () => {
    restore()
    await answering({
      'POST /api2/PKI-v1/TokensFound': {
        modules: [{ module: 'libabsent.so', tokens: [], problem: 'the PKCS#11 module cannot be loaded' }],
      },
    })
    showScreen(<RegisterToken />, at.register)
    expect(await screen.findByText('No token is there')).toBeDefined()
    expect(screen.getByText('the PKCS#11 module cannot be loaded')).toBeDefined()
  })
})

describe('the list of tokens', () => {
  it('says what tokens are for while there is none', async () => {
    restore()
    await answering({ 'POST /api2/PKI-v1/SearchTokens': { rows: [], total: 0, more: false } })
    showScreen(<TokenList />, at.list)
    expect(await screen.findByText('No tokens yet')).toBeDefined()
    await expectAccessible()
  })

  it('shows each with its state, and checks one at once', async () => {
    const { user } = showScreen(<TokenList />, at.list)
    const table = await screen.findByRole('table', { name: 'HSM tokens' })
    expect(await within(table).findByText('Available')).toBeDefined()
    hsm.takeAway()
    try {
      await user.click(within(table).getByRole('button', { name: /ca-a/ }))
      await user.click(await screen.findByRole('menuitem', { name: 'Check token' }))
      expect(await within(table).findByText('Not there')).toBeDefined()
    } finally {
      hsm.putBack()
    }
    await expectAccessible()
    await house.runJob(keys.jobs.tokens)
    expect((await ada.call(calls.list, {})).rows).toMatchObject([{ state: 'available' }])
  })

  it('says what went wrong where the server refuses', async () => {
    restore()
    const bob = await (await house.tenancy('Globex')).person({ permissions: ['certView'] })
    restore = leadFetchTo(house.origin, { authorization: `Bearer ${bob.token}` })
    showScreen(<TokenList />, at.list)
    expect(await screen.findByText('You do not have permission to do this')).toBeDefined()
  })
})

describe('one token', () => {
  const idOf = async () => (await ada.call(calls.list, {})).rows[0]?.id ?? ''

  it('shows what it is and the keys on it', async () => {
    const id = await idOf()
    const { user } = showScreen(<TokenPage />, { at: `/keymanagement/hsm/token/${id}`, path: screens.token.path })
    expect(await screen.findByText('SoftHSM v2')).toBeDefined()
    await expectAccessible()
    await user.click(screen.getByRole('tab', { name: 'Keys' }))
    expect(await screen.findByText('No keys on this token')).toBeDefined()
  })

  it('takes another name, and a wrong PIN is said at its field', async () => {
    const id = await idOf()
    const { user } = showScreen(<EditToken />, { at: `/crypto/config/edit/${id}`, path: screens.edit.path })
    const name = await screen.findByRole('textbox', { name: /Name in Chancery/ })
    await user.fill(name, 'Root token')
    await user.fill(screen.getByLabelText(/^New PIN/), '111111')
    await user.click(screen.getByRole('button', { name: 'Save token' }))
    expect((await screen.findAllByText('The token refused its PIN')).length).toBeGreaterThan(0)
    await expectAccessible()
    expect(await ada.call(calls.view, { tokenId: id })).toMatchObject({ state: 'pinRefused' })
    await ada.call(calls.change, { tokenId: id, name: 'Root token', pin: '246810' })
  })
})
