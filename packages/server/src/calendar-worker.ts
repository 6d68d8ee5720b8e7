import '@visitor-counter/api/v1/settings/calendar/calendar-worker';

/* The thread that reads calendars for the api, as an entry of the bundle: the api finds it next to its own module. */
