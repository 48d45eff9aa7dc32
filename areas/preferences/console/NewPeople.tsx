import { users } from '#areas/users/contract.ts'
import { HomeCard } from '#core/console/kit/HomeCard.tsx'
import { Loaded } from '#core/console/kit/states.tsx'
import { useCall } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import { to } from '#core/contract/paths.ts'
import { searchScreen } from '#core/contract/search.ts'
import { preferences } from '../contract.ts'
import { CreatedPicture } from './CreatedPicture.tsx'

export function NewPeople() {
  const query = useCall(preferences.calls.usersCreated, {})
  return (
    <Loaded query={query}>
      {(made) =>
        made.total === 0 ? null : (
          <HomeCard>
            <CreatedPicture
              made={made}
              label={t('New people by week')}
              says={t('{count, plural, one {# person was added in twelve weeks.} other {# people were added in twelve weeks.}}', {
                count: made.total,
              })}
              all={{ label: t('All people'), path: to(searchScreen, { searchType: 'user' }) }}
              pathOf={(id) => to(users.screens.view, { id })}
            />
          </HomeCard>
        )
      }
    </Loaded>
  )
}
