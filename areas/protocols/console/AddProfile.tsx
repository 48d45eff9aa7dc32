import { useNavigate } from 'react-router'
import { LongForm } from '#core/console/kit/LongForm.tsx'
import { Page } from '#core/console/kit/Page.tsx'
import { EmptyState, Loaded } from '#core/console/kit/states.tsx'
import { useCall } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import { protocolRoom } from '../contract.ts'
import type { Protocol } from '../rules.ts'
import { newProfile, ProfileFields, type ProfileValues } from './ProfileFields.tsx'
import { protocolWords } from './protocol-words.ts'

export function AddProfile({ protocol }: { protocol: Protocol }) {
  const navigate = useNavigate()
  const choices = useCall(protocolRoom.calls.choices, { protocol })
  const words = protocolWords[protocol]
  return (
    <Page title={t(words.newProfile)}>
      <Loaded query={choices}>
        {({ templates }) =>
          templates.length === 0 ? (
            <EmptyState
              title={protocol === 'windows' ? t('No template') : t('No template for devices')}
              text={
                protocol === 'windows'
                  ? t('A profile needs a template of an authority of this tenancy. Make one.')
                  : t('A profile needs a template of the class “Device” of an authority of this tenancy. Make one.')
              }
            />
          ) : (
            <LongForm
              call={protocolRoom.calls.addProfile}
              initial={newProfile(templates)}
              toInput={(values: ProfileValues) => ({ ...values, protocol })}
              submit={t('Create profile')}
              cancel={{ label: t('Cancel'), to: words.list }}
              onDone={() => navigate(`${words.list}?tab=commands`)}
            >
              {(form) => <ProfileFields protocol={protocol} form={form} templates={templates} />}
            </LongForm>
          )
        }
      </Loaded>
    </Page>
  )
}
