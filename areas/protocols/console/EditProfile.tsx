import { Alert, Stack } from '@mantine/core'
import { useParams } from 'react-router'
import { LongForm } from '#core/console/kit/LongForm.tsx'
import { Mono } from '#core/console/kit/Mono.tsx'
import { Page } from '#core/console/kit/Page.tsx'
import { Facts } from '#core/console/kit/Section.tsx'
import { Loaded } from '#core/console/kit/states.tsx'
import { useCall } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import type { OutputOf } from '#core/contract/contract.ts'
import { protocolRoom } from '../contract.ts'
import { ProfileFields, type ProfileValues } from './ProfileFields.tsx'
import { protocolWords } from './protocol-words.ts'

export function EditProfile() {
  const { id = '' } = useParams()
  const query = useCall(protocolRoom.calls.profile, { id })
  if (query.data !== undefined) return <Editor key={query.data.version} profile={query.data} />
  return (
    <Page title={t('Profile')}>
      <Loaded query={query}>{() => null}</Loaded>
    </Page>
  )
}

function Editor({ profile }: { profile: OutputOf<typeof protocolRoom.calls.profile> }) {
  const { id, version, protocol, url, ownerName, ownerMayAsk, ...values } = profile
  const choices = useCall(protocolRoom.calls.choices, { protocol })
  return (
    <Page title={values.name}>
      <Stack gap="md">
        {!ownerMayAsk && (
          <Alert color="red" title={t('Nothing is issued')}>
            {t('{name}, in whose name this profile asks, may not ask for certificates of devices now. Save it, and it asks in yours.', {
              name: ownerName,
            })}
          </Alert>
        )}
        <Facts
          items={[
            { label: t('Address'), value: <Mono value={url} />, copy: url },
            { label: t('Asks in the name of'), value: ownerName },
          ]}
        />
        <Loaded query={choices}>
          {({ templates }) => (
            <LongForm
              call={protocolRoom.calls.changeProfile}
              initial={values}
              toInput={(changed: ProfileValues) => ({ ...changed, id, version })}
              submit={t('Save profile')}
              cancel={{ label: t('Cancel'), to: protocolWords[protocol].list }}
              onDone={() => {}}
            >
              {(form) => <ProfileFields protocol={protocol} form={form} templates={templates} />}
            </LongForm>
          )}
        </Loaded>
      </Stack>
    </Page>
  )
}
