import '@visitor-counter/api/v1/settings/calendar/calendar-worker';

/* The thread that reads calendars for the api. It is an entry of the bundle, so that the api finds it next to itself. */
