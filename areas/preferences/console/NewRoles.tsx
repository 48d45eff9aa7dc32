import { roles } from '#areas/roles/contract.ts'
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
      {(made) => (
        <CreatedPicture
          made={made}
          label={t('New roles by week')}
          says={t(
            '{count, plural, =0 {No role was made in twelve weeks.} one {# role was made in twelve weeks.} other {# roles were made in twelve weeks.}}',
            { count: made.total },
          )}
          all={{ label: t('All roles'), path: to(searchScreen, { searchType: 'role' }) }}
          pathOf={(id) => to(roles.screens.view, { id })}
        />
      )}
    </Loaded>
  )
}
