import { screen, waitFor } from '@testing-library/react'
import { afterEach, beforeEach, expect, it } from 'vitest'
import sessions from '#areas/sessions/console/index.ts'
import { users } from '#areas/users/contract.ts'
import { ServerImage } from '#core/console/kit/ServerImage.tsx'
import { roomsStore } from '#core/console/rooms.ts'
import { showScreen } from '#core/console/testing/render.tsx'
import { houseForScreens } from '#core/testing/screens.ts'

const { house, as } = await houseForScreens()
const acme = await house.tenancy('Acme')
roomsStore.setState({ consoleModules: [sessions] })
beforeEach(() => as(acme.administrator))

const [make, revoke] = [URL.createObjectURL, URL.revokeObjectURL]
afterEach(() => void Object.assign(URL, { createObjectURL: make, revokeObjectURL: revoke }))

it('A picture of the server is asked for as the page asks for all files, and let go with the page', async () => {
  const shown: Blob[] = []
  const gone: string[] = []
  Object.assign(URL, {
    createObjectURL: (file: Blob) => `blob:${shown.push(file)}`,
    revokeObjectURL: (address: string) => void gone.push(address),
  })
  const { unmount } = showScreen(<ServerImage from={users.endpoints.export.path} alt="What the server has" />)
  await waitFor(() => expect(screen.getByRole('img', { name: 'What the server has' }).getAttribute('src')).toBe('blob:1'))
  expect(shown.map(({ type }) => type)).toEqual([expect.stringContaining('text/csv')])
  unmount()
  expect(gone).toEqual(['blob:1'])
})
