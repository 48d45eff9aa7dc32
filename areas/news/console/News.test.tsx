import { screen, waitFor } from '@testing-library/react'
import { beforeEach, expect, test } from 'vitest'
import { HomeCardContext } from '#core/console/kit/HomeCard.tsx'
import { expectAccessible, showScreen } from '#core/console/testing/render.tsx'
import { houseForScreens } from '#core/testing/screens.ts'
import { news } from '../contract.ts'
import { EditNews } from './EditNews.tsx'
import { NewsAtHome } from './NewsAtHome.tsx'

const { house, as } = await houseForScreens()
const { administrator: ada } = await house.tenancy('Acme')
beforeEach(() => as(ada))

test('News is written beside its preview, stands on the home page, and is gone once it is seen', async () => {
  const shown = showScreen(<EditNews />, { at: '/config/news' })
  await screen.findByRole('heading', { name: 'Welcome' })
  await expectAccessible()
  await shown.user.fill(screen.getByRole('textbox', { name: /^Version/ }), '6')
  await shown.user.fill(screen.getByRole('textbox', { name: /^Text/ }), '# Sunday\n\nThe [portal](javascript:alert) moves. <img src=x>')
  expect(await screen.findByRole('heading', { name: 'Sunday' })).toBeDefined()
  expect([document.querySelector('img'), screen.queryByRole('link', { name: 'portal' })]).toEqual([null, null])
  await shown.user.click(screen.getByRole('button', { name: 'Save news' }))
  await screen.findByText(/Last changed by/)
  shown.unmount()

  const home = showScreen(
    <HomeCardContext value={{ title: 'News' }}>
      <NewsAtHome />
    </HomeCardContext>,
    { at: '/home' },
  )
  await screen.findByRole('heading', { name: 'Sunday' })
  await expectAccessible()
  await home.user.click(screen.getByRole('button', { name: 'Do not show this again' }))
  await waitFor(() => expect(screen.queryByRole('heading', { name: 'Sunday' })).toBeNull())
  expect(await ada.call(news.calls.read, {})).toMatchObject({ version: '6', show: false })
})
