import { describe, expect, it } from 'vitest'
import { difference, viewsAsList, viewsByList } from './saved-views.ts'

const view = (name: string, query = '') => ({ list: 'users.all', name, path: '/search/user', query })

describe('Saved views between browser and server', () => {
  it('are the same in both forms', () => {
    const views = [view('a'), view('b'), { ...view('a'), list: 'roles.all' }]
    expect(viewsAsList(viewsByList(views))).toEqual(views)
  })
  it('tell only what changed', () => {
    expect(difference([view('a'), view('b')], [view('a'), view('b')])).toEqual({ keep: [], remove: [] })
    expect(difference([view('a'), view('b')], [view('b', '?x=1'), view('c')])).toEqual({
      keep: [view('b', '?x=1'), view('c')],
      remove: [view('a')],
    })
  })
})
