import { refreshBootstrap } from '#core/console/bootstrap.ts'
import { SwitchField, TextAreaField, TextField } from '#core/console/kit/fields.tsx'
import { FormSection, LongForm } from '#core/console/kit/LongForm.tsx'
import { Page } from '#core/console/kit/Page.tsx'
import { Loaded } from '#core/console/kit/states.tsx'
import { useCall } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import { ColourField } from '../ColourField.tsx'
import { tenancy } from '../contract.ts'
import { TimeZoneField } from '../TimeZoneField.tsx'

export function TenancyConfig() {
  const query = useCall(tenancy.calls.read, {})
  return (
    <Page title={t('Tenancy')} intro={t('How this tenancy is called and looks, before and after sign-in.')} narrow>
      <Loaded query={query}>
        {({ id, kind, ...settings }) => (
          <LongForm
            key={id}
            call={tenancy.calls.change}
            initial={settings}
            submit={t('Save settings')}
            onDone={async () => void (await refreshBootstrap())}
          >
            {(form) => (
              <>
                <FormSection title={t('Name and look')}>
                  <TextField {...form.field('name')} label={t('Name')} required />
                  <ColourField {...form.field('bannerColour')} shownAs={form.values.name} />
                </FormSection>
                <FormSection title={t('For its people')}>
                  <TextField
                    {...form.field('supportEmail')}
                    label={t('Support address')}
                    type="email"
                    hint={t('Shown wherever somebody may need help.')}
                  />
                  <TimeZoneField {...form.field('timeZone')} />
                  <TextField
                    {...form.field('toastTimeout')}
                    label={t('How long a message stays')}
                    hint={t('In milliseconds. Left empty, 3000.')}
                    inputMode="numeric"
                  />
                  <TextAreaField
                    {...form.field('disclaimer')}
                    label={t('Terms of use')}
                    hint={
                      kind === 'management'
                        ? t('Shown to everybody on the sign-in page.')
                        : t(
                            'Shown to your people before they are signed in: on hosts with your look at once, elsewhere after username and password.',
                          )
                    }
                    rows={4}
                  />
                  <SwitchField
                    {...form.field('cmsRequireSelfServiceSecretQuestionsSet')}
                    label={t('People must set secret questions')}
                    hint={t('Self-service reminds who has none; a smartcard is issued only once they are set.')}
                  />
                </FormSection>
                <FormSection
                  title={t('Usernames')}
                  intro={t(
                    'What the names that people sign in with must look like here, besides what holds everywhere. Names that are there already stay.',
                  )}
                  folded={form.values.usernamePattern === '' ? t('Any username') : t('A pattern of its own')}
                >
                  <TextField
                    {...form.field('usernamePattern')}
                    label={t('Pattern')}
                    hint={t('A regular expression such as ^[a-z]+\\.[a-z]+$. Left empty, any username will do.')}
                  />
                  <TextField
                    {...form.field('usernameMessage')}
                    label={t('What is said of a name that does not fit')}
                    hint={t('Left empty: Invalid username.')}
                  />
                </FormSection>
              </>
            )}
          </LongForm>
        )}
      </Loaded>
    </Page>
  )
}
