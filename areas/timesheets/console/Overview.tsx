// The own week, and under `team` how far everybody has come with theirs.

import { useParams } from 'react-router'
import { MyWeek } from './MyWeek.tsx'
import { Team } from './Team.tsx'

export function Overview() {
  const [view, week] = (useParams()['*'] ?? '').split('/')
  return view === 'team' ? <Team week={week} /> : <MyWeek key={week} week={week} />
}
