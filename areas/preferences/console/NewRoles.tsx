import { roles } from '#areas/roles/contract.ts'
import { roleName } from '#areas/roles/role-name.tsx'
import { HomeCard } from '#core/console/kit/HomeCard.tsx'
import { Loaded } from '#core/console/kit/states.tsx'
import { useCall } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import { to } from '#core/contract/paths.ts'
import { searchScreen } from '#core/contract/search.ts'
import { preferences } from '../contract.ts'
import { CreatedPicture } from './CreatedPicture.tsx'

export function NewRoles() {
  const query = useCall(preferences.calls.rolesCreated, {})
  return (
    <Loaded query={query}>
      {(made) =>
        made.total === 0 ? null : (
          <HomeCard>
            <CreatedPicture
              made={{ ...made, newest: made.newest.map((role) => ({ ...role, name: roleName(role.name) })) }}
              label={t('New roles by week')}
              says={t('{count, plural, one {# role was made in twelve weeks.} other {# roles were made in twelve weeks.}}', {
                count: made.total,
              })}
              all={{ label: t('All roles'), path: to(searchScreen, { searchType: 'role' }) }}
              pathOf={(id) => to(roles.screens.view, { id })}
            />
          </HomeCard>
        )
      }
    </Loaded>
  )
}
